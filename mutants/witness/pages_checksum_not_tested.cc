// A rotten page is rebuilt, and not taken for what it is.
#include "mutants/witness/pages.h"

int main() { return rot_is_made_good(); }
