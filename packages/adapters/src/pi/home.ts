/** As `expandPath` reads it. */
export const CONFIG_HOME = '{PI_CODING_AGENT_DIR:-~/.pi/agent}';
