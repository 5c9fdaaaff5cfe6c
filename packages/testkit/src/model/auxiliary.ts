import { type Reply, reply } from './reply.ts';
import type { Conversation, Purpose } from './request.ts';

interface AuxiliaryRule {
  purpose: Exclude<Purpose, 'main'>;
  where: 'system' | 'last message';
  pattern: RegExp;
  /** In the format that the CLI reads. */
  answer: Reply;
}

/** For a client that wants its answer as JSON. */
const json = (value: unknown): Reply => reply.text(JSON.stringify(value));

const ROUTE = { reasoning: 'scripted', model_choice: 'flash', complexity_reasoning: 'scripted', complexity_score: 1 };
const TITLE = reply.text('Scripted title');
const SUMMARY = reply.text('Scripted summary of the conversation.');

const RULES: readonly AuxiliaryRule[] = [
  // opencode 1.18 and kilo 7.7, unless --title is given.
  { purpose: 'title', where: 'system', pattern: /^\s*You are a title generator/, answer: TITLE },
  // claude 2.1.
  { purpose: 'title', where: 'last message', pattern: /Generate a short kebab-case name/, answer: TITLE },
  // goose 1.34: of the session, of each tool call where that is not switched off, and of several in a row.
  { purpose: 'title', where: 'system', pattern: /^\s*Generate a short title \(four words or less\)/, answer: TITLE },
  {
    purpose: 'title',
    where: 'system',
    pattern: /^\s*Summarize this (?:tool call|sequence of tool calls) in a short lowercase phrase/,
    answer: reply.text('scripted tool call'),
  },
  // grok 1.0, before the first turn.
  { purpose: 'title', where: 'system', pattern: /^\s*You are tasked with generating the session title/, answer: TITLE },
  // droid 0.215, after the first message of a session.
  { purpose: 'title', where: 'system', pattern: /generates concise session titles/, answer: TITLE },
  // gemini 0.61, when no model is named; it retries for minutes when the answer is not this JSON.
  {
    purpose: 'router',
    where: 'system',
    pattern: /^\s*You are a (?:specialized )?Task Routing AI/,
    answer: json(ROUTE),
  },
  // gemini 0.61.
  {
    purpose: 'classifier',
    where: 'last message',
    pattern: /^Analyze \*only\* the content and structure of your immediately preceding response/,
    answer: json({ reasoning: 'scripted', next_speaker: 'user' }),
  },
  {
    purpose: 'summary',
    where: 'last message',
    pattern: /^Summarize the user's primary intent or goal/,
    answer: SUMMARY,
  },
  // qwen 0.24: with tools, after a turn is over; its tokens count in the result of the run.
  {
    purpose: 'memory',
    where: 'system',
    pattern: /^\s*You are now acting as the managed memory extraction subagent/,
    answer: reply.text('nothing to remember'),
  },
  // qwen 0.24 in approval mode `auto`; it reads the verdict from a call of this tool only.
  {
    purpose: 'classifier',
    where: 'system',
    pattern: /^\s*You are a security classifier for an AI coding agent/,
    answer: reply.toolCall('respond_in_schema', { thinking: 'scripted', shouldBlock: false, reason: '' }),
  },
  // Compaction: claude 2.1, qwen 0.24, pi 0.87, opencode 1.18.
  {
    purpose: 'summary',
    where: 'last message',
    pattern: /Your task is to create a detailed summary of the conversation so far/,
    answer: SUMMARY,
  },
  {
    purpose: 'summary',
    where: 'last message',
    pattern: /Create a new anchored summary from the conversation/,
    answer: SUMMARY,
  },
  // droid 0.215, when the context is full.
  {
    purpose: 'summary',
    where: 'system',
    pattern: /You excel at creating and maintaining summaries/,
    answer: SUMMARY,
  },
  {
    purpose: 'summary',
    where: 'system',
    pattern: /^\s*You are (?:a context summarization assistant|the component that summarizes a conversation)/,
    answer: SUMMARY,
  },
];

/** Origin of a request: the user's turn, or an auxiliary request of the CLI. */
export function purposeOf(conversation: Conversation): Purpose {
  return ruleFor(conversation)?.purpose ?? 'main';
}

export function auxiliaryReply(conversation: Conversation): Reply {
  return ruleFor(conversation)?.answer ?? reply.text('ok');
}

function ruleFor({ system, messages }: Conversation): AuxiliaryRule | undefined {
  const lastText = messages.at(-1)?.text ?? '';
  return RULES.find(({ where, pattern }) => pattern.test(where === 'system' ? system : lastText));
}
