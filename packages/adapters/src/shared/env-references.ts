/**
 * How configuration files refer to environment variables. Only the name counts: the rest of the reference may be
 * anything.
 */

/** `${NAME}`, `${NAME:-default}` */
export const BRACED = /\$\{(\w{1,256})(?=[}:-])/;
/** Also `$NAME`. */
export const DOLLAR = /\$(?:\{(\w{1,256})(?=[}:-])|(\w{1,256}))/;
