// Parity is that of the data it was written with.
#include "mutants/witness/pages.h"

int main() { return rot_is_made_good(); }
