/** Where Continue keeps its settings and its sessions, in the notation of `expandPath`. */
export const CONTINUE_HOME = '{CONTINUE_GLOBAL_DIR:-~/.continue}';
