// spec/proofs/pch.h: what every proof program includes and no fault changes, compiled once.
//
// What:       the solver's C++ interface and the standard library.
// Callers:    spec/proofs/run (-include).
// Held by:    the compiler
#pragma once

#include <z3++.h>

#include <functional>
#include <string>
#include <vector>
