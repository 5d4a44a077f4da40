import { useId } from 'react';

type PolicyTextProps = {
  readonly text: string;
  readonly readOnly: boolean;
  readonly isValid: boolean;
  readonly onWrite: (text: string) => void;
};

/** A policy as it is stored. */
export function PolicyText({ text, readOnly, isValid, onWrite }: PolicyTextProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Policy</label>
      <textarea
        id={id}
        className="written"
        spellCheck={false}
        readOnly={readOnly}
        rows={Math.min(32, text.split('\n').length + 1)}
        aria-describedby="policy-state"
        aria-invalid={!isValid}
        value={text}
        onChange={({ target }) => onWrite(target.value)}
      />
    </div>
  );
}
