import type { AgentEvent, ApprovalOption, ApprovalRequest, InputRequest, Question } from '@agent-mux/core';
import { oneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';
import { type Answerer, type Answers, isOpen } from './asking.ts';
import { duration } from './closing.ts';
import { inputSummary } from './summaries.ts';
import { onScreen, type Terminal } from './terminal.ts';
import type { ToolLines } from './tool-lines.ts';

const LINES_OF_COMMAND = 20;

interface Choice {
  key: string;
  option: ApprovalOption;
  allows: boolean;
}

/** Shows what the agent wants and asks the person at the terminal, one request after the other. */
export class AskingPerson implements Answerer {
  readonly #answers: Answers;
  readonly #terminal: Terminal;
  readonly #screen: Screen;
  readonly #tools: ToolLines;
  readonly #name: string;
  readonly #open = new Map<string, AbortController>();
  #turn: Promise<void> = Promise.resolve();

  constructor(given: { answers: Answers; terminal: Terminal; screen: Screen; tools: ToolLines; name: string }) {
    this.#answers = given.answers;
    this.#terminal = onScreen(given.terminal, given.screen);
    this.#screen = given.screen;
    this.#tools = given.tools;
    this.#name = given.name;
  }

  event(event: AgentEvent): void {
    if (event.type === 'approval_resolved' || event.type === 'input_resolved') {
      this.#open.get(event.requestId)?.abort();
      if (event.by === 'timeout') this.#screen.loud(this.#screen.paint.yellow('  nobody answered in time'));
      return;
    }
    if (!isOpen(this.#answers, event)) return;
    const taken = new AbortController();
    this.#open.set(event.requestId, taken);
    this.#turn = this.#turn.then(async () => {
      if (!taken.signal.aborted) await this.#ask(event, taken.signal);
      this.#open.delete(event.requestId);
    });
  }

  async #ask(event: ApprovalRequest | InputRequest, taken: AbortSignal): Promise<void> {
    if (event.type === 'approval_request') await this.#askApproval(event, taken);
    else await this.#askQuestions(event, taken);
  }

  async #askApproval(request: ApprovalRequest, taken: AbortSignal): Promise<void> {
    const { paint } = this.#screen;
    const choices = choicesOf(request.options);
    this.#showApproval(request);
    const keys = this.#showChoices(choices);
    for (;;) {
      const typed = await this.#terminal.ask(`  ${keys}  › `, taken);
      if (taken.aborted) return;
      const [key = '', ...reason] = (typed ?? 'n').trim().split(/[\s,:]+/);
      const choice = choiceOf(choices, key);
      if (choice?.allows) {
        this.#answers.approve(request.requestId, { optionId: choice.option.id });
        return;
      }
      if (choice || key === 'n') {
        const message = reason.join(' ');
        this.#answers.deny(request.requestId, {
          ...(choice ? { optionId: choice.option.id } : {}),
          ...(message ? { message } : {}),
        });
        return;
      }
      this.#screen.loud(paint.dim('  one of the keys, please; behind n you may say why: "n use tabs"'));
    }
  }

  /** On one line where they fit, else each in full: a label may say what else is agreed to. */
  #showChoices(choices: readonly Choice[]): string {
    const { paint, width } = this.#screen;
    const label = ({ key, option }: Choice, room: number) => `${paint.bold(`[${key}]`)} ${oneLine(option.label, room)}`;
    const length = choices.reduce((sum, { key, option }) => sum + key.length + option.label.length + 5, 8);
    if (length <= width) return choices.map((choice) => label(choice, width)).join('  ');
    for (const choice of choices) this.#screen.loud(`    ${label(choice, 1000)}`);
    return choices.map(({ key }) => paint.bold(key)).join('/');
  }

  #showApproval(request: ApprovalRequest): void {
    const { paint, width } = this.#screen;
    const what = [request.toolName, ...(request.kind ? [request.kind] : [])]
      .map((word) => oneLine(word, 40))
      .join(', ');
    const title = oneLine(request.title, width * 2);
    this.#screen.loud(`${paint.yellow('?')} ${paint.bold(`${this.#name} asks: ${title}`)} ${paint.dim(`(${what})`)}`);
    if (!this.#tools.preview(request.toolCallId, request.input)) this.#showInput(request, title);
    if (request.expiresAt === undefined) return;
    const left = request.expiresAt - request.timestamp;
    this.#screen.loud(paint.dim(`    without an answer it is denied in ${duration(left)}`));
  }

  /** All of a command, not its first words: what is not shown is agreed to unseen. */
  #showInput(request: ApprovalRequest, title: string): void {
    const { paint, width } = this.#screen;
    const input = this.#tools.inputOf(request.toolCallId) ?? request.input;
    const whole = inputSummary(input, LINES_OF_COMMAND * width);
    if (whole === '' || title.includes(whole)) return;
    const room = width - 6;
    for (let at = 0; at < whole.length; at += room) this.#screen.loud(paint.dim(`    ${whole.slice(at, at + room)}`));
  }

  async #askQuestions(request: InputRequest, taken: AbortSignal): Promise<void> {
    const answers: Record<string, string[]> = {};
    for (const question of request.questions) {
      const answer = await this.#askQuestion(question, taken);
      if (taken.aborted) return;
      if (answer === undefined) {
        this.#answers.answer(request.requestId, 'decline');
        return;
      }
      answers[question.id] = answer;
    }
    this.#answers.answer(request.requestId, answers);
  }

  async #askQuestion(question: Question, taken: AbortSignal): Promise<string[] | undefined> {
    const { paint, width } = this.#screen;
    this.#tools.close();
    this.#screen.loud(`${paint.yellow('?')} ${paint.bold(oneLine(question.question, width * 3))}`);
    for (const [index, { label, description }] of question.options.entries()) {
      const about = description ? paint.dim(` ${oneLine(description, width - 20)}`) : '';
      this.#screen.loud(`    ${paint.bold(`[${index + 1}]`)} ${oneLine(label, width - 10)}${about}`);
    }
    const how = question.options.length === 0 ? '' : question.multiple ? 'numbers or text' : 'a number or text';
    const typed = await this.#terminal.ask(`  ${how ? `${how}, ` : ''}empty to decline  › `, taken);
    return readAnswer(question, typed ?? '');
  }
}

/** Undefined: no answer. */
export function readAnswer(question: Question, typed: string): string[] | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const labelled = (part: string): string => question.options[Number(part) - 1]?.label ?? part;
  return question.multiple
    ? text
        .split(/\s*,\s*/)
        .filter(Boolean)
        .map(labelled)
    : [labelled(text)];
}

/** y, a and n for the first option of their kind; a second one of a kind gets a number. */
export function choicesOf(options: readonly ApprovalOption[]): Choice[] {
  const keys: Record<ApprovalOption['kind'], string> = {
    allow_once: 'y',
    allow_always: 'a',
    deny_once: 'n',
    deny_always: 'never',
  };
  const taken = new Set<string>();
  return options.map((option, index) => {
    const wanted = keys[option.kind];
    const key = taken.has(wanted) ? String(index + 1) : wanted;
    taken.add(key);
    return { key, option, allows: option.kind.startsWith('allow') };
  });
}

function choiceOf(choices: readonly Choice[], typed: string): Choice | undefined {
  const key = { yes: 'y', no: 'n', always: 'a' }[typed.toLowerCase()] ?? typed.toLowerCase();
  return choices.find((choice) => choice.key === key);
}
