import type { Request } from '@agent-mux/api/browser';
import { useState } from 'react';
import type { QuestionEvent } from '../../data/items.ts';
import { answerOf, choose, type Drafted, type Question, write } from '../../data/request.logic.ts';
import { answerRequest } from '../orders.ts';
import { Button } from '../small.tsx';
import { Later } from './approval.tsx';

export function Questions({ request, event }: { request: Request; event: QuestionEvent }) {
  const [drafted, setDrafted] = useState<Drafted>({});
  const [isBusy, setBusy] = useState(false);
  const answer = answerOf(event.questions, drafted);
  const send = async (given: Parameters<typeof answerRequest>[1]) => {
    setBusy(true);
    if (!(await answerRequest(request, given))) setBusy(false);
  };
  /** One question with one choice is answered by choosing. */
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
          isAlone={event.questions.length === 1}
        />
      ))}
      <div className="request-actions">
        {isQuick && event.questions[0]?.options.length !== 0 && answer === null ? null : (
          <Button look="next" type="submit" disabled={isBusy || answer === null}>
            Answer
          </Button>
        )}
        <Button disabled={isBusy} data-key="deny" onClick={() => void send({ decision: 'decline' })}>
          No answer
          <kbd>D</kbd>
        </Button>
        <Later request={request} isBusy={isBusy} />
      </div>
    </form>
  );
}

interface OneProps {
  question: Question;
  drafted: Drafted;
  onDraft(drafted: Drafted): void;
  /** Where choosing answers at once. */
  onChoose: ((label: string) => void) | undefined;
  isBusy: boolean;
  /** The headline says it already. */
  isAlone: boolean;
}

function OneQuestion({ question, drafted, onDraft, onChoose, isBusy, isAlone }: OneProps) {
  const { id, question: text, header, options, multiple, freeText } = question;
  const { chosen = [], text: written = '' } = drafted[id] ?? {};
  const asksForText = options.length === 0 || freeText === true;
  return (
    <fieldset>
      <legend className={isAlone ? 'hidden-text' : ''}>
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
          aria-label={`Your own answer to: ${text}`}
          placeholder={multiple ? 'Something else, too' : 'In your own words'}
          value={written}
          onChange={({ target }) => onDraft(write(question, target.value, drafted))}
        />
      ) : null}
    </fieldset>
  );
}
