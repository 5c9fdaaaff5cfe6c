/** Where Copilot stores its settings and sessions, in the notation of `expandPath`. */
export const COPILOT_HOME = '{COPILOT_HOME:-~/.copilot}';
