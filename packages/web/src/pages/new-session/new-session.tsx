import type { NewSession as NewSessionBody, Session } from '@agent-mux/api/browser';
import { Sparkles } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { AttachButton, AttachmentList, useAttachments } from '../../components/attachments.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Button } from '../../components/primitives.tsx';
import { navigate } from '../../components/router.tsx';
import { CallError, call } from '../../data/call.ts';
import { readStored, writeStored } from '../../data/local-storage.ts';
import { applySession } from '../../data/rows.ts';
import { changeDraft, type Draft, emptyDraft, isEmpty, readDraft } from './draft.logic.ts';
import { toNewSession } from './new-session.logic.ts';
import { useSessionFields } from './session-fields.tsx';
import { startDemo } from './start-demo.ts';

/** Size until the terminal view reports its own. */
const INITIAL_SIZE = { cols: 100, rows: 30 };
const LAST_AGENT = 'agent-mux.last-agent';
const DRAFT = 'agent-mux.new-session';

/** Offers only what the agent supports. The draft stays in this browser until it is started or cleared. */
export function NewSession({ onClose }: { onClose(): void }) {
  const [draft, change, forget] = useStoredDraft();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const prompt = useRef<HTMLTextAreaElement>(null);
  const fields = useSessionFields(draft, change, String(readStored(LAST_AGENT)));
  const { agent, cwd, choices } = fields;
  const attachments = useAttachments(choices.files, { files: draft.files, onFiles: (files) => change({ files }) });

  const create = async () => {
    if (isBusy || attachments.isBusy) return;
    if (draft.files.length > 0 && choices.files !== null && draft.prompt.trim() === '') {
      setFailure(new Error('Describe what to do with the files.'));
      prompt.current?.focus();
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const found = await fields.findFolder();
      if (!found) {
        setBusy(false);
        return;
      }
      const terminalPrompt = choices.prompt ? draft.prompt : '';
      const body = toNewSession(draft, found.choices, { agent, cwd: found.folder.path });
      const session = await startSession(body, choices.inTerminal ? terminalPrompt : null);
      writeStored(LAST_AGENT, agent);
      forget();
      // The prompt could not be passed on: keep it for the next session.
      if (!choices.prompt) change({ prompt: draft.prompt });
      applySession(session);
      onClose();
      navigate(`/sessions/${session.id}`);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
      setBusy(false);
      // The request was rejected: the next attempt is a new session with a new id.
      if (!(error instanceof CallError) || error.code !== 'UNREACHABLE') change({});
    }
  };
  const clear = () => {
    forget();
    attachments.clear();
    fields.clear();
    setFailure(null);
    prompt.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      void create();
    }
  };
  return (
    <Dialog title="New session" onClose={onClose}>
      <form
        className="form new-session"
        {...attachments.handlers}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <textarea
          ref={prompt}
          className="input new-prompt"
          aria-label="Prompt"
          placeholder="What should the agent do?"
          rows={5}
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
        {choices.inTerminal ? null : <AttachmentList attachments={attachments} />}
        {fields.shown()}
        {choices.prompt || draft.prompt.trim() === '' ? null : (
          <p className="muted">This agent’s terminal UI takes no prompt from here. Type it in the terminal.</p>
        )}
        {failure ? <ErrorMessage error={failure} /> : null}
        <div className="form-actions">
          {isEmpty(draft) ? (
            <Button
              look="quiet"
              onClick={() => {
                onClose();
                void startDemo();
              }}
            >
              <Sparkles />
              Try the demo
            </Button>
          ) : (
            <Button look="quiet" onClick={clear}>
              Clear
            </Button>
          )}
          <span className="grow" />
          <AttachButton attachments={attachments} accept={choices.files} />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="next" type="submit" disabled={isBusy || attachments.isBusy || agent === '' || cwd === ''}>
            {isBusy ? 'Starting…' : 'Start'}
            <kbd>Ctrl ⏎</kbd>
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type Change = (change: Partial<Omit<Draft, 'id'>>) => void;

function useStoredDraft(): [Draft, Change, () => void] {
  const [draft, setDraft] = useState(() => readDraft(readStored(DRAFT)));
  const latest = useRef(draft);
  const set = (next: Draft) => {
    latest.current = next;
    setDraft(next);
    writeStored(DRAFT, isEmpty(next) ? undefined : next);
  };
  return [draft, (change) => set(changeDraft(latest.current, change)), () => set(emptyDraft())];
}

/** Starts a session. `terminalPrompt`: types this prompt into the agent's terminal UI; null: no terminal. */
async function startSession(body: NewSessionBody, terminalPrompt: string | null): Promise<Session> {
  const session = await call('createSession', { body });
  if (terminalPrompt === null) return session;
  const { id } = session;
  try {
    const terminal = { ...INITIAL_SIZE, ...(terminalPrompt.trim() === '' ? {} : { prompt: terminalPrompt }) };
    return await call('openTerminal', { params: { id }, body: terminal });
  } catch (error) {
    // Do not leave a session behind whose terminal failed to open.
    await call('removeSession', { params: { id } }).catch(() => undefined);
    throw error;
  }
}
