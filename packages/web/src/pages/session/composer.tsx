import type { Session } from '@agent-mux/api/browser';
import { CornerDownLeft, OctagonPause } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { runSessionAction } from '../../components/actions.ts';
import { acceptedBy } from '../../components/attachments.logic.ts';
import { AttachButton, AttachmentList, idsOf, useAttachments } from '../../components/attachments.tsx';
import { Button } from '../../components/primitives.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { capabilitiesOf, useAgent } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { applyMessages } from '../../data/rows.ts';
import { stateOf } from '../../data/session-state.logic.ts';
import { useDraft } from './draft.ts';
import { QueuedMessages } from './queued-messages.tsx';

/** Sends a message to the agent: queued for the next turn, or steering the running one. */
export function Composer({ session }: { session: Session }) {
  const { id, agent, mode } = session;
  const [{ text, files: storedFiles }, draft] = useDraft(id);
  const detail = useAgent(agent).data;
  const can = capabilitiesOf(detail, mode);
  // Accept any pasted file until the agent is loaded.
  const accept = detail ? acceptedBy(can) : '';
  const attachments = useAttachments(accept, { files: storedFiles, onFiles: draft.attach });
  const cannotSend = text.trim() === '' || attachments.isBusy;
  const state = stateOf(session);
  const isRunning = state === 'working' || state === 'waiting';
  const send = async (how: 'queue' | 'steer') => {
    if (cannotSend) return;
    const sent = draft.take();
    const files = attachments.take();
    try {
      if (session.isTerminated) await call('restoreSession', { params: { id } });
      const message = await call('sendMessage', {
        params: { id },
        body: { id: sent.id, text: sent.text, mode: how, files: idsOf(files) },
      });
      draft.markSent(sent);
      applyMessages(id, [message]);
    } catch (error) {
      draft.giveBack(sent);
      attachments.giveBack(files);
      showErrorToast(error);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send((event.metaKey || event.ctrlKey) && isRunning && can.supportsSteer === true ? 'steer' : 'queue');
  };
  return (
    <div className="composer-frame">
      <QueuedMessages
        session={session}
        onEdit={(message) => {
          draft.giveBack({ id: crypto.randomUUID(), text: message.text, files: [] });
          attachments.giveBack(message.files.map((file) => ({ key: file, id: file, name: 'attached file' })));
        }}
      />
      <form
        className="composer"
        {...attachments.handlers}
        onSubmit={(event) => {
          event.preventDefault();
          void send('queue');
        }}
      >
        <textarea
          aria-label="Message"
          placeholder={placeholderOf(session, isRunning)}
          rows={1}
          value={text}
          onChange={({ target }) => draft.write(target.value)}
          onKeyDown={onKeyDown}
        />
        <AttachmentList attachments={attachments} />
        <div className="composer-actions">
          <AttachButton attachments={attachments} accept={accept} />
          <span className="faint composer-hint">
            {session.model ?? agent} · {session.approvalMode}
          </span>
          {isRunning && can.supportsInterrupt === true ? (
            <Button look="quiet" onClick={() => void runSessionAction('interruptSession', id)}>
              <OctagonPause />
              Interrupt
            </Button>
          ) : null}
          {isRunning && can.supportsSteer === true ? (
            <Button disabled={cannotSend} onClick={() => void send('steer')}>
              Steer
            </Button>
          ) : null}
          <Button look="next" type="submit" disabled={cannotSend}>
            {isRunning ? 'Queue' : 'Send'}
            <CornerDownLeft />
          </Button>
        </div>
      </form>
    </div>
  );
}

function placeholderOf(session: Session, isRunning: boolean): string {
  if (session.isTerminated) return 'Send a message to restore the session';
  if (isRunning) return 'Queue a message for after this turn';
  return session.parked ? 'Send a message to resume the session' : `Message ${session.agent}`;
}
