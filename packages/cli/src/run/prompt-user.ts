import type { AgentEvent, ApprovalOption, ApprovalRequest, InputRequest, Question } from '@agent-mux/core';
import { escapeControls, summarizeQuestion, summarizeRequest } from '@agent-mux/core/light';
import type { Screen } from '../screen/screen.ts';
import { duration } from './format.ts';
import { answerOutside, readAnswer } from './read-answer.ts';
import { type Answers, isOpen, type RequestHandler } from './request-handlers.ts';
import { FOLDED_ROWS, rowsOf } from './request-rows.ts';
import type { UserTerminal } from './terminal/user-terminal.ts';
import type { ToolLines } from './tool-lines.ts';

/** Shows the full request when only a part is shown. */
const VIEW_ALL = 'v';
/** Allows this and the same request again in this project; `amux policy` lists what was remembered. */
const ALWAYS_HERE = 'p';

interface Choice {
  key: string;
  option: ApprovalOption;
  allows: boolean;
}

/** Shows requests of the agent and asks the user at the terminal, one at a time. */
export class UserPrompter implements RequestHandler {
  readonly #answers: Answers;
  readonly #terminal: UserTerminal;
  readonly #screen: Screen;
  readonly #tools: ToolLines;
  readonly #name: string;
  readonly #open = new Map<string, AbortController>();
  #turn: Promise<void> = Promise.resolve();

  constructor(options: { answers: Answers; terminal: UserTerminal; screen: Screen; tools: ToolLines; name: string }) {
    this.#answers = options.answers;
    this.#terminal = options.terminal;
    this.#screen = options.screen;
    this.#tools = options.tools;
    this.#name = options.name;
  }

  event(event: AgentEvent): void {
    if (event.type === 'approval_resolved' || event.type === 'input_resolved') {
      this.#open.get(event.requestId)?.abort();
      if (event.by === 'timeout') this.#screen.loud(this.#screen.paint.yellow('  not answered in time'));
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
    // Input typed before the request is shown does not answer it.
    await this.#terminal.attend();
    try {
      if (taken.aborted) return;
      if (event.type === 'approval_request') await this.#askApproval(event, taken);
      else await this.#askQuestions(event, taken);
    } finally {
      this.#terminal.dismiss();
    }
  }

  async #askApproval(request: ApprovalRequest, taken: AbortSignal): Promise<void> {
    const { paint } = this.#screen;
    const { lines, title, about, options } = summarizeRequest(request, this.#tools.inputOf(request.toolCallId));
    const choices = choicesOf(options);
    const rows = rowsOf(lines, this.#screen);
    this.#tools.close();
    const [head = '', ...more] = this.#screen.rows(`${escapeControls(this.#name)} asks: ${title} (${about})`);
    this.#screen.loud(`${paint.yellow('?')} ${paint.bold(head.trimStart())}`);
    for (const row of more) this.#screen.loud(paint.bold(row));
    this.#show(rows);
    this.#tools.seen(request.toolCallId);
    if (request.expiresAt !== undefined) {
      const left = request.expiresAt - request.timestamp;
      this.#screen.note(`denied automatically in ${duration(left)}`, '    ');
    }
    const once = choices.find(({ option }) => option.kind === 'allow_once');
    const keys = this.#showChoices(choices, { once: once !== undefined, folded: rows.length > FOLDED_ROWS });
    for (;;) {
      const typed = await this.#terminal.ask(`  ${keys}  › `, taken);
      if (taken.aborted) return;
      const [key = '', ...reason] = (typed ?? 'n').trim().split(/[\s,:]+/);
      const choice = choiceOf(choices, key);
      if (once && key.toLowerCase() === ALWAYS_HERE && reason.length === 0) {
        this.#answers.approve(request.requestId, { optionId: once.option.id, remember: { scope: 'project' } });
        return;
      }
      // Text after a yes does not reach the agent, so it is rejected.
      if (choice?.allows && reason.length === 0) {
        this.#answers.approve(request.requestId, { optionId: choice.option.id });
        return;
      }
      if ((choice && !choice.allows) || key === 'n') {
        const message = reason.join(' ');
        this.#answers.deny(request.requestId, {
          ...(choice ? { optionId: choice.option.id } : {}),
          ...(message ? { message } : {}),
        });
        return;
      }
      if (key.toLowerCase() === VIEW_ALL) this.#show(rows, rows.length);
      else this.#screen.note('press one of the keys; add a reason after n: "n use tabs"');
    }
  }

  /** On one line if they fit, otherwise one per line: a label may say what else is agreed to. */
  #showChoices(choices: readonly Choice[], { once, folded }: { once: boolean; folded: boolean }): string {
    const { paint, width } = this.#screen;
    const all = [
      ...choices.map(({ key, option }) => ({ key, label: option.label })),
      ...(once ? [{ key: ALWAYS_HERE, label: 'Always in this project' }] : []),
      ...(folded ? [{ key: VIEW_ALL, label: 'View all' }] : []),
    ];
    const shown = all.map(({ key, label }) => `${paint.bold(`[${key}]`)} ${label}`);
    const length = all.reduce((sum, { key, label }) => sum + key.length + label.length + 5, 8);
    if (length <= width) return shown.join('  ');
    for (const line of shown) this.#screen.loud(`    ${line}`);
    return all.map(({ key }) => paint.bold(key)).join('/');
  }

  /** Says what is not shown, so that nothing is approved unseen. */
  #show(rows: readonly string[], limit: number = FOLDED_ROWS): void {
    for (const row of rows.slice(0, limit)) this.#screen.loud(row);
    const more = rows.length - limit;
    if (more > 0) {
      const { paint } = this.#screen;
      this.#screen.loud(
        paint.yellow(`    … ${more} more line${more === 1 ? '' : 's'} not shown: press ${VIEW_ALL} to view all`),
      );
    }
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
    const { paint } = this.#screen;
    const { lines, options } = summarizeQuestion(question);
    const rows = rowsOf(lines, this.#screen, { first: `${paint.yellow('?')} `, style: paint.bold });
    const choices = options.flatMap(({ label, description }, index) =>
      rowsOf(
        [{ kind: 'field', text: `[${index + 1}] ${label}${description ? ` · ${description}` : ''}` }],
        this.#screen,
      ),
    );
    this.#tools.close();
    this.#show(rows);
    for (const row of choices) this.#screen.loud(row);
    const { options: all, multiple, freeText } = question;
    const how = all.length === 0 ? '' : `${multiple ? 'numbers' : 'a number'}${freeText ? ' or text' : ''}, `;
    const folded = rows.length > FOLDED_ROWS;
    const view = folded ? `, ${VIEW_ALL} to view all` : '';
    for (;;) {
      const typed = await this.#terminal.ask(`  ${how}empty to decline${view}  › `, taken);
      if (taken.aborted) return undefined;
      const outside = answerOutside(question, typed ?? '');
      if (folded && typed?.trim() === VIEW_ALL) this.#show(rows, rows.length);
      else if (outside === undefined) return readAnswer(question, typed ?? '');
      else
        this.#screen.note(`no option ${outside}: use 1 to ${all.length}${freeText ? ', or type your own answer' : ''}`);
    }
  }
}

/** y, a and n for the first option of their kind; further ones get a number. */
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
