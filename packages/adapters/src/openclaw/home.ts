export const OPENCLAW_HOME = '{OPENCLAW_STATE_DIR:-~/.openclaw}';
