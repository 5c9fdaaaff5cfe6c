import type { Answer, Request } from '@agent-mux/api/browser';
import type { ApprovalEvent, QuestionEvent } from './items.ts';

export type Question = QuestionEvent['questions'][number];

/** The event of a request row, typed by its kind; the daemon stores exactly these events. */
export function eventOf({ event }: Pick<Request, 'event'>): ApprovalEvent | QuestionEvent | null {
  if (event.type !== 'approval_request' && event.type !== 'input_required') return null;
  return event as unknown as ApprovalEvent | QuestionEvent;
}

/** One-line summary of a request. */
export function headlineOf(event: ApprovalEvent | QuestionEvent | null): string {
  if (event === null) return 'Approval requested';
  if (event.type === 'approval_request') return event.title;
  const [first, ...more] = event.questions;
  return first && more.length === 0 ? first.question : `${event.questions.length} questions`;
}

export interface Choice {
  label: string;
  answer: Answer;
  /** Which keyboard shortcut answers with it. */
  role: 'approve' | 'deny' | 'other';
}

/** The answers to an approval request: the agent's options, or approve and deny if it offers none. */
export function choicesOf({ options }: Pick<ApprovalEvent, 'options'>): Choice[] {
  if (options.length === 0) {
    return [
      { label: 'Approve', answer: { decision: 'allow' }, role: 'approve' },
      { label: 'Deny', answer: { decision: 'deny' }, role: 'deny' },
    ];
  }
  const first = (kinds: readonly string[]) =>
    kinds.map((kind) => options.find((each) => each.kind === kind)).find(Boolean)?.id;
  const [yes, no] = [first(['allow_once', 'allow_always']), first(['deny_once', 'deny_always'])];
  return options.map(({ id, label, kind }) => {
    const isAllowed = kind.startsWith('allow');
    return {
      label,
      answer: { decision: isAllowed ? 'allow' : 'deny', optionId: id },
      role: id === yes ? 'approve' : id === no ? 'deny' : 'other',
    };
  });
}

/** Chosen options and text of each question, by question id. */
export type Drafted = Readonly<Record<string, { chosen: readonly string[]; text: string }>>;

/** Null while a question is unanswered. */
export function answerOf(questions: readonly Question[], drafted: Drafted): Answer | null {
  const answers: Record<string, string[]> = {};
  for (const { id } of questions) {
    const { chosen = [], text = '' } = drafted[id] ?? {};
    const all = text.trim() === '' ? [...chosen] : [...chosen, text.trim()];
    if (all.length === 0) return null;
    answers[id] = all;
  }
  return { decision: 'answer', answers };
}

/** Toggles an option of a multiple-choice question, or selects it in a single-choice one. */
export function choose({ id, multiple }: Question, label: string, drafted: Drafted): Drafted {
  const { chosen = [], text = '' } = drafted[id] ?? {};
  const isOn = chosen.includes(label);
  const next = multiple ? (isOn ? chosen.filter((each) => each !== label) : [...chosen, label]) : [label];
  return { ...drafted, [id]: { chosen: next, text: multiple ? text : '' } };
}

export function write({ id, multiple }: Question, text: string, drafted: Drafted): Drafted {
  const { chosen = [] } = drafted[id] ?? {};
  return { ...drafted, [id]: { chosen: multiple || text === '' ? chosen : [], text } };
}
