export interface AgentWithoutCli {
  agent: string;
  displayName: string;
  reason: string;
  documentedBy: readonly string[];
}

/** Agents without an adapter, because they cannot be driven without a person at a screen. */
export const AGENTS_WITHOUT_HEADLESS_CLI: readonly AgentWithoutCli[] = [
  {
    agent: 'windsurf',
    displayName: 'Windsurf',
    reason:
      'Cascade runs inside the editor and its JetBrains plugin; it has no documented command. The terminal agent of the same vendor is `devin`.',
    documentedBy: ['docs.windsurf.com: Cascade overview', 'docs.devin.ai: Devin CLI'],
  },
];
