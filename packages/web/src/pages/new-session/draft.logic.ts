import { type KeptFile, readFiles } from '../../parts/attachments.logic.ts';

/** What the dialog holds. Empty: nothing was chosen, and what is usual counts. */
export interface Draft {
  /** Of the session that will be made: what was sent and not answered begins once, however often it is asked for. */
  id: string;
  prompt: string;
  files: readonly KeptFile[];
  agent: string;
  model: string;
  cwd: string;
  approvalMode: string;
  onLimit: '' | 'stop' | 'wait';
  /** How much the model thinks. */
  effort: string;
  title: string;
  /** A budget, as it was typed. */
  usd: string;
  tokens: string;
  worktree: boolean;
  inTerminal: boolean;
}

const LETTERS = '0123456789bcdfghjkmnpqrstvwxz';

const EMPTY: Omit<Draft, 'id'> = {
  prompt: '',
  files: [],
  agent: '',
  model: '',
  cwd: '',
  approvalMode: '',
  onLimit: '',
  effort: '',
  title: '',
  usd: '',
  tokens: '',
  worktree: false,
  inTerminal: false,
};

export function emptyDraft(): Draft {
  return { id: newId(), ...EMPTY };
}

/** Another wish is another session. */
export function changeDraft(draft: Draft, change: Partial<Omit<Draft, 'id'>>): Draft {
  return { ...draft, ...change, id: newId() };
}

export function isEmpty(draft: Draft): boolean {
  const { id: _, files, ...rest } = draft;
  return files.length === 0 && Object.entries(rest).every(([name, value]) => value === Reflect.get(EMPTY, name));
}

/** What was kept, whatever has become of it meanwhile. */
export function readDraft(kept: unknown): Draft {
  if (typeof kept !== 'object' || kept === null) return emptyDraft();
  const text = (name: keyof Draft) => {
    const value: unknown = Reflect.get(kept, name);
    return typeof value === 'string' ? value : '';
  };
  const onLimit = text('onLimit');
  return {
    id: /^s[a-z0-9]{11,39}$/.test(text('id')) ? text('id') : newId(),
    prompt: text('prompt'),
    files: readFiles(Reflect.get(kept, 'files')),
    agent: text('agent'),
    model: text('model'),
    cwd: text('cwd'),
    approvalMode: text('approvalMode'),
    onLimit: onLimit === 'stop' || onLimit === 'wait' ? onLimit : '',
    effort: text('effort'),
    title: text('title'),
    usd: text('usd'),
    tokens: text('tokens'),
    worktree: Reflect.get(kept, 'worktree') === true,
    inTerminal: Reflect.get(kept, 'inTerminal') === true,
  };
}

/** As the daemon makes them: read aloud, and never a word. */
function newId(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => LETTERS.charAt(byte % LETTERS.length));
  return `s${letters.join('')}`;
}
