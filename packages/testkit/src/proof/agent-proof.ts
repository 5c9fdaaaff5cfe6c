import type { ModelApi } from '../model/index.ts';
import type { WrittenDefinition } from './seed-definitions.ts';

/** A call of one of the agent's own tools, as the scripted model makes it. */
export interface ScriptedCall {
  name: string;
  input: unknown;
}

/**
 * A model that the proof alone decides on: of its own making, or an alias whose meaning its variables say. What a release takes for
 * its newest model is nothing that a case may expect.
 */
export interface ProofModel {
  /** What `RunOptions.model` is given. */
  name: string;
  /** What the request to the model then says. */
  seen: string;
}

/** How the real CLI shows a trouble of the model. */
type Visibility =
  /** By an event, within seconds. */
  | 'shown'
  /** Not at all while it tries again: only the watchdog for silence ends it. */
  | 'silent';

/** Where a mode of an agent differs from what most do; each is a fact of the CLI, with the version that it was seen in. */
export interface ProofQuirks {
  rateLimit?: Visibility;
  serverError?: Visibility;
  /** So long nothing is heard while it starts. */
  silentStartMs?: number;
  /** A turn that failed for good ends without a word of why. */
  failureUnexplained?: boolean;
  /** Pieces of an answer that come fast are told as one. */
  mergesText?: boolean;
  /** What the model says before it calls a tool is not told. */
  hidesWordsBeforeTools?: boolean;
  /** Its protocol has no place for the reason of a denial, or the model is not asked again after one. */
  reasonHidden?: boolean;
  /** Each piece of a thought is told without the blanks around it. */
  trimsThoughts?: boolean;
  /** After a broken connection the answer has what had come before it twice, and nothing tells of it. */
  repeatsAfterDrop?: boolean;
  /** Its hooks are not told the prompt. */
  hooksWithoutPrompt?: boolean;
  /** A server of somebody else: what a tool has detached from its shell is out of the agent's reach and stays. */
  keepsDetached?: boolean;
  /** The prompt reaches the model with its characters composed (NFC). */
  composesUnicode?: boolean;
  /** The longest prompt that the CLI takes, in characters. */
  maxPromptChars?: number;
  /** A long prompt reaches the model as an excerpt and the path of a file with the whole of it, which this finds. */
  longPromptFile?: RegExp;
}

/** Where a case of the proof runs: what the files and variables of an agent may name. */
export interface ProofPlace {
  modelUrl: string;
  home: string;
}

/** A server that somebody else has started, for agents that are reached and not spawned. */
export interface ProofService {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  readUrl(line: string): string | undefined;
  /** How the agent is told of it, by the variables of its environment. */
  envFor(url: string): Record<string, string>;
}

/** How a person runs the CLI for one prompt without a terminal, with all tools allowed and the workspace trusted. */
interface ByHand {
  args(prompt: string, cwd: string): readonly string[];
  /** The prompt comes on stdin. */
  stdin?: boolean;
  env?: Record<string, string>;
  /** In the workspace: what the CLI would else fetch over the network. */
  files?: Record<string, string>;
  /** No hook tells what it was asked. */
  promptUntold?: boolean;
  /** Nor what it answered. */
  answerUntold?: boolean;
  /** Pieces of the answer are told again behind it. */
  answerRepeated?: boolean;
  /** Only in a git repository are its hooks run. */
  inRepository?: boolean;
}

/** Its own screen, as a person has it who has used the CLI here before. */
export interface ProofTerminal {
  /** Variables, and files in HOME in the place of what is there: it is set up, and trusts the folder. */
  ready?(place: ProofPlace & { cwd: string }): { env?: Record<string, string>; files?: Record<string, string> };
  /** Of its own making, when it is up. */
  shows: string | RegExp;
  /** What it asks before it runs a command, where it is told to ask, and the keys that allow it. */
  asks?: {
    question: string | RegExp;
    keys: readonly string[];
    /** The call that it asks about, where that is not any of its shell. */
    call?(command: string): ScriptedCall;
  };
  /** The keys by which it is left. Absent: it is ended by the daemon. */
  leave?: readonly string[];
}

/** What the proof must know of an agent to point its real CLI at the scripted model. Data only. */
export interface AgentProof {
  agent: string;
  /** The key in the file of pinned versions; the same agent may be driven in several ways. */
  cli: string;
  api: ModelApi;
  /** As they would stand in a user's shell: they reach the CLI through the adapter's allow-list. */
  env(place: ProofPlace): Record<string, string>;
  /** What only the proof needs (running as root, fewer retries); given with each run. */
  runEnv?: Record<string, string>;
  /** Files in HOME, by relative path. */
  files?(place: ProofPlace): Record<string, string>;
  /** Folders in HOME that the CLI fills once (an unpacked runtime); kept between cases. */
  warmFolders?: readonly string[];
  /**
   * By which the CLI runs the hooks of a workspace: variables for the run, and what is added to files in HOME. `person`: only
   * somebody at a terminal can say so.
   */
  hookTrust?: 'person' | ((cwd: string) => { env?: Record<string, string>; files?: Record<string, string> });
  service?: ProofService;
  /** Modes whose process takes many seconds to start, or that share most of their code with another mode. */
  slowModes?: readonly string[];
  /** Its processes take so many times longer than those of others: every limit of time is lengthened by it. */
  patience?: number;
  model: ProofModel;
  otherModel: ProofModel;
  shellTool(command: string): ScriptedCall;
  writeTool(path: string, content: string): ScriptedCall;
  /** A tool that looks at a file, where the agent has one beside its shell. */
  readTool?(path: string): ScriptedCall;
  /** The agent's own name of a tool, where the model is offered it under another. */
  ownName?(offered: string): string;
  /** The names for allowedTools and deniedTools, where they are not those of the calls. */
  toolNames?: { shell: string; write: string };
  questionTool?(question: string, options: readonly string[]): ScriptedCall;
  subagentTool?(prompt: string): ScriptedCall;
  /** The name under which the model calls a tool of an MCP server, where its request does not list it. */
  mcpTool?(server: string, tool: string): string;
  /** The call of such a tool, where it goes through a tool of the agent's own. */
  mcpCall?(server: string, tool: string, input: unknown): ScriptedCall;
  /** What makes the CLI report the state of its rate limits: headers of the model, and variables for the run. */
  rateLimitStatus?: { headers: Record<string, string>; env?: Record<string, string> };
  /** One that takes every effort, where `model` does not. */
  effortModel?: string;
  /** One that takes no effort at all. */
  effortlessModel?: string;
  /** One that takes a thinking budget, where `model` does not. */
  budgetModel?: string;
  /** A native thinking setting, and what the request then contains. */
  thinkingOverride?: { value: Record<string, unknown>; seen: string };
  /**
   * What its configuration says for `otherModel`, where that differs from the option. False: what points the CLI at the
   * scripted model names the model too, and wins over its configuration.
   */
  nativeModel?: string | false;
  /**
   * How its file names PROOF_NAMED_KEY in the place of a key, or of a variable that agent-mux knows: `from` becomes `to`.
   * `refuses`: without the variable it says so instead of asking the model without a key.
   */
  namedKey?: { file: string; from: string; to: string; refuses?: boolean };
  /** False: its servers belong to a process of somebody else, which keeps them running after a run. */
  nativeMcp?: boolean;
  /** False: pointed at the scripted model it knows of no model that it could list. */
  ownModels?: boolean;
  /** A definition that must run as it is written, and what the request to the model then names. */
  definition?: { written: WrittenDefinition; seen: string; files?(place: ProofPlace): Record<string, string> };
  byHand?: ByHand;
  /** Text: why it cannot be shown here. */
  terminal?: ProofTerminal | string;
  /** It is also shown on another host, over a real ssh server. */
  overSsh?: boolean;
  quirks?: ProofQuirks;
  /** For one mode, over `quirks`. */
  modeQuirks?: Record<string, ProofQuirks>;
}

export function quirksOf(proof: AgentProof, mode: string): ProofQuirks {
  return { ...proof.quirks, ...proof.modeQuirks?.[mode] };
}
