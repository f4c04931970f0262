# 16-byte stores that pass the caches by.
s/\*\((y \+ v \* 32 \+ threadIdx\.x)\) = packed;/__stcs(\1, packed);/
