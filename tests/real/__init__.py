"""Programs held against what they do without pathcc, and against independent oracles."""
