import type { Session } from '@agent-mux/api/browser';
import { CornerDownLeft, OctagonPause } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { capabilitiesOf, useAgent } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { takeMessages } from '../../data/rows.ts';
import { stateOf } from '../../data/session-state.logic.ts';
import { acceptedBy } from '../../parts/attachments.logic.ts';
import { AttachButton, AttachmentList, idsOf, useAttachments } from '../../parts/attachments.tsx';
import { orderSession } from '../../parts/orders.ts';
import { Button } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { useDraft } from './draft.ts';
import { WaitingMessages } from './waiting-messages.tsx';

/** Says something to the agent: at its turn, or into the one that runs. */
export function Composer({ session }: { session: Session }) {
  const { id, agent, mode } = session;
  const [{ text, files: kept }, draft] = useDraft(id);
  const detail = useAgent(agent).data;
  const can = capabilitiesOf(detail, mode);
  // Until it is known, whatever is pasted is taken.
  const accept = detail ? acceptedBy(can) : '';
  const attachments = useAttachments(accept, { files: kept, onFiles: draft.attach });
  const cannotSend = text.trim() === '' || attachments.isBusy;
  const state = stateOf(session);
  const isRunning = state === 'working' || state === 'waiting';
  const send = async (how: 'queue' | 'steer') => {
    if (cannotSend) return;
    const taken = draft.take();
    const files = attachments.take();
    try {
      if (session.isTerminated) await call('restoreSession', { params: { id } });
      const message = await call('sendMessage', {
        params: { id },
        body: { id: taken.id, text: taken.text, mode: how, files: idsOf(files) },
      });
      draft.arrived(taken);
      takeMessages(id, [message]);
    } catch (error) {
      draft.giveBack(taken);
      attachments.giveBack(files);
      tellFault(error);
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
      <WaitingMessages
        session={session}
        onTakenBack={(message) => {
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
            <Button look="quiet" onClick={() => void orderSession('interruptSession', id)}>
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
  if (session.isTerminated) return 'A message restores the session';
  if (isRunning) return 'Next message; it waits for this turn';
  return session.parked ? 'A message brings the session back' : `Message ${session.agent}`;
}
