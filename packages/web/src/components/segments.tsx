interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly (readonly [Value, string])[];
  onChange(value: Value): void;
}

/** Radio group with all choices visible. */
export function Segments<Value extends string>({ label, value, choices, onChange }: SegmentsProps<Value>) {
  return (
    <fieldset className="segments" aria-label={label}>
      {choices.map(([each, text]) => (
        <label key={each} data-on={each === value}>
          <input type="radio" name={label} checked={each === value} onChange={() => onChange(each)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
