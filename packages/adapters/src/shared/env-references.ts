/** How texts of configuration files refer to variables. Only the name counts: what stands behind it may be anything. */

/** `${NAME}`, `${NAME:-default}` */
export const BRACED = /\$\{(\w{1,256})(?=[}:-])/;
/** `$NAME` as well. */
export const DOLLAR = /\$(?:\{(\w{1,256})(?=[}:-])|(\w{1,256}))/;
