/** The agents of the walk: one of each way to talk to an agent. */
export const NEW_USER_AGENTS = ['claude', 'codex', 'opencode'] as const;

export interface NewUserJob {
  /** A scratch folder. */
  folder: string;
  /** The folder of the installed `amux`. */
  amux: string;
  /** The folders of the agents' CLIs. */
  clis: readonly string[];
}
