import type { Request } from '@agent-mux/api/browser';
import { useState } from 'react';
import type { QuestionEvent } from '../../data/items.ts';
import { answerOf, choose, type Drafted, type Question, write } from '../../data/request.logic.ts';
import { answerRequest } from '../actions.ts';
import { Button } from '../primitives.tsx';
import { SnoozeButton } from './approval.tsx';

export function Questions({ request, event }: { request: Request; event: QuestionEvent }) {
  const [drafted, setDrafted] = useState<Drafted>({});
  const [isBusy, setBusy] = useState(false);
  const answer = answerOf(event.questions, drafted);
  const send = async (response: Parameters<typeof answerRequest>[1]) => {
    setBusy(true);
    if (!(await answerRequest(request, response))) setBusy(false);
  };
  /** A single question with a single choice is answered by choosing. */
  const isQuick = event.questions.length === 1 && event.questions[0]?.multiple === false;
  return (
    <form
      className="questions"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (answer) void send(answer);
      }}
    >
      {event.questions.map((question) => (
        <OneQuestion
          key={question.id}
          question={question}
          drafted={drafted}
          onDraft={setDrafted}
          onChoose={
            isQuick
              ? (label) => {
                  const now = answerOf(event.questions, choose(question, label, drafted));
                  if (now) void send(now);
                }
              : undefined
          }
          isBusy={isBusy}
          isOnly={event.questions.length === 1}
        />
      ))}
      <div className="request-actions">
        {isQuick && event.questions[0]?.options.length !== 0 && answer === null ? null : (
          <Button look="next" type="submit" disabled={isBusy || answer === null}>
            Answer
          </Button>
        )}
        <Button disabled={isBusy} data-key="deny" onClick={() => void send({ decision: 'decline' })}>
          Decline
          <kbd>D</kbd>
        </Button>
        <SnoozeButton request={request} isBusy={isBusy} />
      </div>
    </form>
  );
}

interface OneProps {
  question: Question;
  drafted: Drafted;
  onDraft(drafted: Drafted): void;
  /** Set when choosing an option answers at once. */
  onChoose: ((label: string) => void) | undefined;
  isBusy: boolean;
  /** True for a single question, whose text the headline already shows. */
  isOnly: boolean;
}

function OneQuestion({ question, drafted, onDraft, onChoose, isBusy, isOnly }: OneProps) {
  const { id, question: text, header, options, multiple, freeText } = question;
  const { chosen = [], text: written = '' } = drafted[id] ?? {};
  const asksForText = options.length === 0 || freeText === true;
  return (
    <fieldset>
      <legend className={isOnly ? 'hidden-text' : ''}>
        {header === undefined ? null : <span className="faint">{header} · </span>}
        {text}
      </legend>
      <div className="options">
        {options.map(({ label, description }) => (
          <Button
            key={label}
            className="option"
            disabled={isBusy}
            aria-pressed={onChoose ? undefined : chosen.includes(label)}
            onClick={() => (onChoose ? onChoose(label) : onDraft(choose(question, label, drafted)))}
          >
            {label}
            {description === undefined ? null : <span className="muted">{description}</span>}
          </Button>
        ))}
      </div>
      {asksForText ? (
        <input
          className="input"
          aria-label={`Your answer to: ${text}`}
          placeholder={multiple ? 'Other (optional)' : 'Your answer'}
          value={written}
          onChange={({ target }) => onDraft(write(question, target.value, drafted))}
        />
      ) : null}
    </fieldset>
  );
}
