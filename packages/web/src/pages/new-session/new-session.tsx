import type { NewSession as Given, Session } from '@agent-mux/api/browser';
import { Sparkles } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { CallError, call } from '../../data/call.ts';
import { keep, readKept } from '../../data/kept.ts';
import { takeSession } from '../../data/rows.ts';
import { AttachButton, AttachmentList, useAttachments } from '../../parts/attachments.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { navigate } from '../../parts/router.tsx';
import { Button } from '../../parts/small.tsx';
import { changeDraft, type Draft, emptyDraft, isEmpty, readDraft } from './draft.logic.ts';
import { wishOf } from './new-session.logic.ts';
import { useSessionFields } from './session-fields.tsx';
import { startDemo } from './start-demo.ts';

/** Until the window says how large it is. */
const FIRST_SCREEN = { cols: 100, rows: 30 };
const LAST_AGENT = 'agent-mux.last-agent';
const DRAFT = 'agent-mux.new-session';

/** Only what the agent can do is offered. What is written stays in this browser until it was started or cleared. */
export function NewSession({ onClose }: { onClose(): void }) {
  const [draft, change, forget] = useKeptDraft();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Error | null>(null);
  const prompt = useRef<HTMLTextAreaElement>(null);
  const fields = useSessionFields(draft, change, String(readKept(LAST_AGENT)));
  const { agent, cwd, offer } = fields;
  const attachments = useAttachments(offer.files, { files: draft.files, onFiles: (files) => change({ files }) });

  const create = async () => {
    if (isBusy || attachments.isBusy) return;
    if (draft.files.length > 0 && offer.files !== null && draft.prompt.trim() === '') {
      setFault(new Error('Say what is to be done with the files.'));
      prompt.current?.focus();
      return;
    }
    setBusy(true);
    setFault(null);
    try {
      const found = await fields.findFolder();
      if (!found) {
        setBusy(false);
        return;
      }
      const onScreen = offer.prompt ? draft.prompt : '';
      const wish = wishOf(draft, found.offer, { agent, cwd: found.folder.path });
      const session = await begin(wish, offer.inTerminal ? onScreen : null);
      keep(LAST_AGENT, agent);
      forget();
      // It could not be handed over, and is there for the next one.
      if (!offer.prompt) change({ prompt: draft.prompt });
      takeSession(session);
      onClose();
      navigate(`/sessions/${session.id}`);
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
      setBusy(false);
      // Refused for good: what is tried next is another session.
      if (!(error instanceof CallError) || error.code !== 'UNREACHABLE') change({});
    }
  };
  const clear = () => {
    forget();
    attachments.clear();
    fields.clear();
    setFault(null);
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
          placeholder="What is to be done?"
          rows={5}
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
        {offer.inTerminal ? null : <AttachmentList attachments={attachments} />}
        {fields.shown()}
        {offer.prompt || draft.prompt.trim() === '' ? null : (
          <p className="muted">Its screen takes no prompt from here: type it there.</p>
        )}
        {fault ? <Fault error={fault} /> : null}
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
          <AttachButton attachments={attachments} accept={offer.files} />
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

function useKeptDraft(): [Draft, Change, () => void] {
  const [draft, setDraft] = useState(() => readDraft(readKept(DRAFT)));
  const latest = useRef(draft);
  const set = (next: Draft) => {
    latest.current = next;
    setDraft(next);
    keep(DRAFT, isEmpty(next) ? undefined : next);
  };
  return [draft, (change) => set(changeDraft(latest.current, change)), () => set(emptyDraft())];
}

/** With `onScreen` the prompt goes to the agent's own screen, as if it had been typed; null: it has none. */
async function begin(wish: Given, onScreen: string | null): Promise<Session> {
  const made = await call('createSession', { body: wish });
  if (onScreen === null) return made;
  const { id } = made;
  try {
    const body = { ...FIRST_SCREEN, ...(onScreen.trim() === '' ? {} : { prompt: onScreen }) };
    return await call('openTerminal', { params: { id }, body });
  } catch (error) {
    // Nothing is left of a session whose screen does not open.
    await call('removeSession', { params: { id } }).catch(() => undefined);
    throw error;
  }
}
