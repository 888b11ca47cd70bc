// Look up policies that tailc compiled: verify once, then decide in nanoseconds.
#pragma once

#include "budget_table.hpp"
#include "controller.hpp"
#include "counters.hpp"
#include "error.hpp"
#include "ladder.hpp"
#include "opening.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "policy.hpp"
#include "shares.hpp"
#include "signature.hpp"
#include "tail_table.hpp"
#include "trusted_key.hpp"
