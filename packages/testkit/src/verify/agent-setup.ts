import type { ModelApi } from '../model/index.ts';
import type { WrittenDefinition } from './seed-definitions.ts';

/** A call of one of the agent's own tools, as the scripted model makes it. */
export interface ScriptedCall {
  name: string;
  input: unknown;
}

/**
 * A model that only the verification determines: a custom one, or an alias that its variables define. A case must not
 * expect the newest model of a release.
 */
export interface VerifyModel {
  /** The value of `RunOptions.model`. */
  name: string;
  /** The name in the request to the model. */
  seen: string;
}

/** How the real CLI shows a failure of the model. */
type Visibility =
  /** By an event, within seconds. */
  | 'shown'
  /** Not at all while it retries: only the inactivity watchdog ends it. */
  | 'silent';

/** Where a mode of an agent differs from most; each is a fact of the CLI, with the version it was seen in. */
export interface AgentQuirks {
  rateLimit?: Visibility;
  serverError?: Visibility;
  /** Silence while it starts. */
  silentStartMs?: number;
  /** A turn that failed for good ends without a reason. */
  failureUnexplained?: boolean;
  /** Fast pieces of an answer are merged into one. */
  mergesText?: boolean;
  /** Text of the model before a tool call is not emitted. */
  hidesWordsBeforeTools?: boolean;
  /** Its protocol has no field for the reason of a denial, or the model is not asked again after one. */
  reasonHidden?: boolean;
  /** Each piece of thinking is emitted without surrounding whitespace. */
  trimsThoughts?: boolean;
  /** After a broken connection the answer repeats its start, without any notice. */
  repeatsAfterDrop?: boolean;
  /** Its hooks do not get the prompt. */
  hooksWithoutPrompt?: boolean;
  /** An external server: a detached process of a tool is out of the agent's reach and stays. */
  keepsDetached?: boolean;
  /** The prompt reaches the model with its characters composed (NFC). */
  composesUnicode?: boolean;
  /** The longest prompt that the CLI accepts, in characters. */
  maxPromptChars?: number;
  /** A long prompt reaches the model as an excerpt and the path of a file with the whole text, which this finds. */
  longPromptFile?: RegExp;
}

/** Where a verification case runs: values for the files and variables of an agent. */
export interface VerifySandbox {
  modelUrl: string;
  home: string;
}

/** An external server, for agents that are reached and not spawned. */
export interface VerifyService {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  readUrl(line: string): string | undefined;
  /** How the agent finds it, by environment variables. */
  envFor(url: string): Record<string, string>;
}

/** How a person runs the CLI for one prompt without a terminal, with all tools allowed and the workspace trusted. */
interface UnmanagedRun {
  args(prompt: string, cwd: string): readonly string[];
  /** The prompt comes on stdin. */
  stdin?: boolean;
  env?: Record<string, string>;
  /** In the workspace: files that the CLI would otherwise fetch over the network. */
  files?: Record<string, string>;
  /** No hook reports the prompt. */
  promptUnreported?: boolean;
  /** No hook reports the answer. */
  answerUnreported?: boolean;
  /** Pieces of the answer are reported again after it. */
  answerRepeated?: boolean;
  /** Its hooks run only in a git repository. */
  inRepository?: boolean;
}

/** Its terminal UI, as a person has it who has used the CLI here before. */
export interface VerifyTerminal {
  /** Variables, and files in HOME that replace others: it is set up, and trusts the folder. */
  ready?(place: VerifySandbox & { cwd: string }): { env?: Record<string, string>; files?: Record<string, string> };
  /** Text of the CLI when it is ready. */
  shows: string | RegExp;
  /** Its question before it runs a command, in a mode that asks, and the keys that allow it. */
  asks?: {
    question: string | RegExp;
    keys: readonly string[];
    /** The call that it asks about, if not any shell command. */
    call?(command: string): ScriptedCall;
  };
  /** The keys to exit it. Absent: the daemon ends it. */
  leave?: readonly string[];
}

/** Data that the verification needs to point a real CLI at the scripted model. */
export interface AgentSetup {
  agent: string;
  /** The key in the file of pinned versions; the same agent may be driven in several ways. */
  cli: string;
  api: ModelApi;
  /** As in a user's shell: they reach the CLI through the adapter's allow-list. */
  env(place: VerifySandbox): Record<string, string>;
  /** Variables that only the verification needs (running as root, fewer retries); passed with each run. */
  runEnv?: Record<string, string>;
  /** Files in HOME, by relative path. */
  files?(place: VerifySandbox): Record<string, string>;
  /** Folders in HOME that the CLI fills once (an unpacked runtime); shared by cases. */
  warmFolders?: readonly string[];
  /**
   * How the CLI is made to run the hooks of a workspace: variables for the run, and additions to files in HOME.
   * `person`: only a person at a terminal can approve them.
   */
  hookTrust?: 'person' | ((cwd: string) => { env?: Record<string, string>; files?: Record<string, string> });
  service?: VerifyService;
  /** Modes whose process takes many seconds to start, or that share most of their code with another mode. */
  slowModes?: readonly string[];
  /** Its processes are slower by this factor: every timeout is multiplied by it. */
  patience?: number;
  model: VerifyModel;
  otherModel: VerifyModel;
  shellTool(command: string): ScriptedCall;
  writeTool(path: string, content: string): ScriptedCall;
  /** A tool that reads a file, if the agent has one in addition to its shell. */
  readTool?(path: string): ScriptedCall;
  /** The agent's own name of a tool, if the model sees another. */
  ownName?(offered: string): string;
  /** The names for allowedTools and deniedTools, if they differ from those of the calls. */
  toolNames?: { shell: string; write: string };
  questionTool?(question: string, options: readonly string[]): ScriptedCall;
  subagentTool?(prompt: string): ScriptedCall;
  /** The name under which the model calls a tool of an MCP server, if its request does not list it. */
  mcpTool?(server: string, tool: string): string;
  /** The call of such a tool, if it goes through a built-in tool. */
  mcpCall?(server: string, tool: string, input: unknown): ScriptedCall;
  /** Makes the CLI report the state of its rate limits: headers of the model, and variables for the run. */
  rateLimitStatus?: { headers: Record<string, string>; env?: Record<string, string> };
  /** One that supports every effort, if `model` does not. */
  effortModel?: string;
  /** One that supports no effort at all. */
  effortlessModel?: string;
  /** One that supports a thinking budget, if `model` does not. */
  budgetModel?: string;
  /** A native thinking setting, and what the request then contains. */
  thinkingOverride?: { value: Record<string, unknown>; seen: string };
  /**
   * The configured name of `otherModel`, if it differs from the option. False: the setup for the scripted model also
   * sets the model, and wins over its configuration.
   */
  nativeModel?: string | false;
  /**
   * How its file names VERIFY_NAMED_KEY instead of a key, or of a variable that agent-mux knows: `from` becomes `to`.
   * `refuses`: without the variable it reports an error instead of asking the model without a key.
   */
  namedKey?: { file: string; from: string; to: string; refuses?: boolean };
  /** False: its servers belong to an external process, which keeps them running after a run. */
  nativeMcp?: boolean;
  /** False: pointed at the scripted model it has no models to list. */
  ownModels?: boolean;
  /** A definition that must run as written, and the expected fields of the request to the model. */
  definition?: { written: WrittenDefinition; seen: string; files?(place: VerifySandbox): Record<string, string> };
  unmanaged?: UnmanagedRun;
  /** Text: why it cannot be verified here. */
  terminal?: VerifyTerminal | string;
  /** It is also verified on another host, over a real ssh server. */
  overSsh?: boolean;
  quirks?: AgentQuirks;
  /** For one mode, over `quirks`. */
  modeQuirks?: Record<string, AgentQuirks>;
}

export function quirksOf(setup: AgentSetup, mode: string): AgentQuirks {
  return { ...setup.quirks, ...setup.modeQuirks?.[mode] };
}
