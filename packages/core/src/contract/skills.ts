/** Skills and sub-agents, and the folders that agents take them from. */

export const EXTENSION_KINDS = ['skill', 'subagent'] as const;
export type ExtensionKind = (typeof EXTENSION_KINDS)[number];
export const EXTENSION_SCOPES = ['global', 'project'] as const;
/** For every project of the user, or for the one in `cwd`. */
export type ExtensionScope = (typeof EXTENSION_SCOPES)[number];

/** A folder from which an agent takes skills or sub-agents. */
export interface ExtensionPlace {
  agent: string;
  kind: ExtensionKind;
  scope: ExtensionScope;
  folder: string;
}

export interface InstalledSkill {
  agent: string;
  kind: ExtensionKind;
  scope: ExtensionScope;
  name: string;
  description: string | null;
  /** The folder of a skill, the file of a sub-agent. */
  path: string;
  /** Why an agent cannot use it. */
  problem: string | null;
}

export interface SkillSelection {
  /** Default: all that have any; for `add` those of them that are installed here. */
  agents?: readonly string[];
  /** Default for `add` and `remove`: a skill. */
  kind?: ExtensionKind;
  /** Default for `add` and `remove`: global. */
  scope?: ExtensionScope;
  /** The project; default the current folder. */
  cwd?: string;
}

export interface SkillAddOptions extends SkillSelection {
  /** Another name than the one in its front matter, where it is changed too. */
  name?: string;
  /** Replaces one of the same name. */
  force?: boolean;
}

export interface PlacedSkill {
  agent: string;
  kind: ExtensionKind;
  scope: ExtensionScope;
  name: string;
  description: string;
  path: string;
  /** `unchanged`: the source lies in that very place. */
  status: 'added' | 'replaced' | 'unchanged';
}

/** Skills and sub-agents, put where each agent looks for them. */
export interface AgentSkills {
  /** Every folder that agents take them from. */
  places(selection?: SkillSelection): ExtensionPlace[];
  /** What lies in those folders; what an agent cannot use says why. */
  list(selection?: SkillSelection): Promise<InstalledSkill[]>;
  /** From a folder with a SKILL.md, or from a Markdown file. Nothing is written before all of it was checked. */
  add(source: string, options?: SkillAddOptions): Promise<PlacedSkill[]>;
  /** Only what looks like one is removed. Of a link the link alone goes. */
  remove(name: string, options?: SkillSelection): Promise<InstalledSkill[]>;
}
