import { Field } from '../../parts/field.tsx';
import { WrittenField } from '../../parts/written-field.tsx';
import type { RuleDraft } from './policy-draft.ts';

type RuleFieldsProps = {
  readonly rules: readonly RuleDraft[];
  readonly readOnly: boolean;
  readonly set: (rules: readonly RuleDraft[]) => void;
};

const fresh: RuleDraft = { tools: '', schema: '{\n  "properties": {}\n}', message: '' };

/** What the arguments of tools must fit. */
export function RuleFields({ rules, readOnly, set }: RuleFieldsProps) {
  const change = (at: number, part: Partial<RuleDraft>): void =>
    set(rules.map((rule, index) => (index === at ? { ...rule, ...part } : rule)));
  return (
    <>
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name than their place
        <fieldset key={index} className="group" disabled={readOnly}>
          <legend>Rule {index + 1}</legend>
          <Field
            label="Tools"
            hint="As callers name them; * stands for any characters."
            required
            spellCheck={false}
            placeholder="mail__send"
            value={rule.tools}
            onChange={({ target }) => change(index, { tools: target.value })}
          />
          <SchemaText text={rule.schema} onWrite={(schema) => change(index, { schema })} />
          <Field
            label="What a caller is told who is refused"
            maxLength={300}
            placeholder="the arguments are not allowed by this hub"
            value={rule.message}
            onChange={({ target }) => change(index, { message: target.value })}
          />
          <p>
            <button type="button" onClick={() => set(rules.filter((_, at) => at !== index))}>
              Remove rule {index + 1}
            </button>
          </p>
        </fieldset>
      ))}
      {rules.length === 0 ? <p className="faint">Arguments are passed on as they come.</p> : null}
      {readOnly ? null : (
        <p>
          <button type="button" onClick={() => set([...rules, fresh])}>
            Add a rule
          </button>
        </p>
      )}
    </>
  );
}

function SchemaText({ text, onWrite }: { text: string; onWrite: (text: string) => void }) {
  const problem = problemOf(text);
  return (
    <WrittenField
      label="Schema of the arguments"
      hint={problem ?? 'JSON Schema without references: what does not fit is refused.'}
      rows={[3, 16]}
      aria-invalid={problem !== undefined}
      value={text}
      onWrite={onWrite}
    />
  );
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `No JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
