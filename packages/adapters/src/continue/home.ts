/** Where Continue stores its settings and sessions, in the notation of `expandPath`. */
export const CONTINUE_HOME = '{CONTINUE_GLOBAL_DIR:-~/.continue}';
