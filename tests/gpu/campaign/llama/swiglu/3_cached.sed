# Weights are kept in the L2 as long as there is room.
s/__ldcs\((up|gate)_row \+ at\)/\1_row[at]/
