import { useId } from 'react';

interface AmountProps {
  usd: string;
  tokens: string;
  issue: string | null;
  onChange(amounts: { usd: string; tokens: string }): void;
}

/** Fields of a budget: money, tokens or both. */
export function AmountFields({ usd, tokens, issue, onChange }: AmountProps) {
  const id = useId();
  const wrong = issue === null ? {} : { 'aria-invalid': true, 'aria-describedby': id };
  return (
    <>
      <div className="form-grid">
        <label className="field">
          <span>Dollars</span>
          <input
            className="input"
            inputMode="decimal"
            placeholder="no limit"
            value={usd}
            onChange={({ target }) => onChange({ usd: target.value, tokens })}
            {...wrong}
          />
        </label>
        <label className="field">
          <span>Tokens</span>
          <input
            className="input"
            placeholder="no limit, or 200k, 2m"
            value={tokens}
            onChange={({ target }) => onChange({ usd, tokens: target.value })}
            {...wrong}
          />
        </label>
      </div>
      {issue === null ? null : (
        <p id={id} role="alert" data-tone="bad">
          {issue}
        </p>
      )}
    </>
  );
}
