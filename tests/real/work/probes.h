/* ONE for each probe, whose numbers begin with 1 so that they have no leading zero. */
#define TEN(k) ONE(k##0) ONE(k##1) ONE(k##2) ONE(k##3) ONE(k##4) ONE(k##5) ONE(k##6) ONE(k##7) ONE(k##8) ONE(k##9)
#define HUNDRED(k) TEN(k##0) TEN(k##1) TEN(k##2) TEN(k##3) TEN(k##4) TEN(k##5) TEN(k##6) TEN(k##7) TEN(k##8) TEN(k##9)
HUNDRED(10) HUNDRED(11) HUNDRED(12) HUNDRED(13) HUNDRED(14) HUNDRED(15) HUNDRED(16) HUNDRED(17) HUNDRED(18) HUNDRED(19)
