import type { Conversation } from '../../data/session.logic.ts';
import { useKeys } from '../../shell/keys.ts';
import { usePageActions } from '../../shell/page-actions.ts';
import type { Wanted } from './find/find.logic.ts';
import { useFind } from './find/use-find.ts';
import { Transcript } from './transcript.tsx';

interface ConversationViewProps {
  id: string;
  conversation: Conversation;
  /** Opens the conversation at this text. */
  wanted?: Wanted | undefined;
}

/** A searchable conversation. */
export function ConversationView({ id, conversation, wanted }: ConversationViewProps) {
  const finding = useFind(conversation.items, wanted);
  useKeys([
    { keys: '/', label: 'Find in the conversation', group: 'Session', run: finding.open },
    { keys: 'mod+f', run: finding.open },
  ]);
  usePageActions({
    heading: 'This conversation',
    actions: [{ label: 'Find in the conversation', keys: '/', onSelect: finding.open }],
  });
  return <Transcript id={id} conversation={conversation} finding={finding} />;
}
