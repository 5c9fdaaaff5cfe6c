/** How texts of configuration files refer to variables. */

/** `${NAME}`, `${NAME:-default}` */
export const BRACED = /\$\{(\w+)(?::?-[^}]*)?\}/;
/** `$NAME` as well. */
export const DOLLAR = /\$(?:\{(\w+)(?::?-[^}]*)?\}|(\w+))/;
