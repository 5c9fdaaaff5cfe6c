/** Skills and subagents, and the folders from which agents load them. */

export const EXTENSION_KINDS = ['skill', 'subagent'] as const;
export type ExtensionKind = (typeof EXTENSION_KINDS)[number];
export const EXTENSION_SCOPES = ['global', 'project'] as const;
/** For all projects of the user, or for the one in `cwd`. */
export type ExtensionScope = (typeof EXTENSION_SCOPES)[number];

/** A folder from which an agent loads skills or subagents. */
export interface ExtensionLocation {
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
  /** Folder of a skill, file of a subagent. */
  path: string;
  /** Why the agent cannot use it. */
  problem: string | null;
}

export interface SkillSelection {
  /** Default: all agents with such folders; for `add` only the installed ones. */
  agents?: readonly string[];
  /** Default for `add` and `remove`: a skill. */
  kind?: ExtensionKind;
  /** Default for `add` and `remove`: global. */
  scope?: ExtensionScope;
  /** The project; default the current folder. */
  cwd?: string;
}

export interface SkillAddOptions extends SkillSelection {
  /** Name to use instead of the one in the front matter, which is updated too. */
  name?: string;
  /** Replaces an extension of the same name. */
  force?: boolean;
}

export interface AddedSkill {
  agent: string;
  kind: ExtensionKind;
  scope: ExtensionScope;
  name: string;
  description: string;
  path: string;
  /** `unchanged`: the source is already at that location. */
  status: 'added' | 'replaced' | 'unchanged';
}

/** Skills and subagents in the folders where each agent looks for them. */
export interface AgentSkills {
  /** Lists every folder from which agents load them. */
  locations(selection?: SkillSelection): ExtensionLocation[];
  /** Lists the extensions in those folders, with the problem of any the agent cannot use. */
  list(selection?: SkillSelection): Promise<InstalledSkill[]>;
  /** Adds a folder with a SKILL.md, or a Markdown file. Everything is validated before anything is written. */
  add(source: string, options?: SkillAddOptions): Promise<AddedSkill[]>;
  /** Removes only valid skills and subagents. For a symbolic link, only the link is removed. */
  remove(name: string, options?: SkillSelection): Promise<InstalledSkill[]>;
}
