import { type DraftFile, readFiles } from '../../components/attachments.logic.ts';

/** Values of the dialog. An empty value means the default. */
export interface Draft {
  /** Id of the future session, which makes creating it idempotent. */
  id: string;
  prompt: string;
  files: readonly DraftFile[];
  agent: string;
  model: string;
  cwd: string;
  approvalMode: string;
  onLimit: '' | 'pause' | 'continue';
  /** Thinking effort. */
  effort: string;
  title: string;
  /** Budget as typed. */
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

/** A changed draft gets a new id, since it describes another session. */
export function changeDraft(draft: Draft, change: Partial<Omit<Draft, 'id'>>): Draft {
  return { ...draft, ...change, id: newId() };
}

export function isEmpty(draft: Draft): boolean {
  const { id: _, files, ...rest } = draft;
  return files.length === 0 && Object.entries(rest).every(([name, value]) => value === Reflect.get(EMPTY, name));
}

/** Parses a stored draft; invalid values become empty. */
export function readDraft(stored: unknown): Draft {
  if (typeof stored !== 'object' || stored === null) return emptyDraft();
  const text = (name: keyof Draft) => {
    const value: unknown = Reflect.get(stored, name);
    return typeof value === 'string' ? value : '';
  };
  const onLimit = text('onLimit');
  return {
    id: /^s[a-z0-9]{11,39}$/.test(text('id')) ? text('id') : newId(),
    prompt: text('prompt'),
    files: readFiles(Reflect.get(stored, 'files')),
    agent: text('agent'),
    model: text('model'),
    cwd: text('cwd'),
    approvalMode: text('approvalMode'),
    onLimit: onLimit === 'pause' || onLimit === 'continue' ? onLimit : '',
    effort: text('effort'),
    title: text('title'),
    usd: text('usd'),
    tokens: text('tokens'),
    worktree: Reflect.get(stored, 'worktree') === true,
    inTerminal: Reflect.get(stored, 'inTerminal') === true,
  };
}

/** Same format as the daemon's ids: unambiguous letters and no vowels, so that an id never forms a word. */
function newId(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => LETTERS.charAt(byte % LETTERS.length));
  return `s${letters.join('')}`;
}
