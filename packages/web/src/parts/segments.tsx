interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly (readonly [Value, string])[];
  onChange(value: Value): void;
}

/** One of a few, all of them seen. */
export function Segments<Value extends string>({ label, value, choices, onChange }: SegmentsProps<Value>) {
  return (
    <fieldset className="segments" aria-label={label}>
      {choices.map(([each, word]) => (
        <label key={each} data-on={each === value}>
          <input type="radio" name={label} checked={each === value} onChange={() => onChange(each)} />
          {word}
        </label>
      ))}
    </fieldset>
  );
}
