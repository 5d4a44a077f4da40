import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { TextAreaField } from '../../components/text-area-field.tsx';
import { AddGroupButton } from './add-group-button.tsx';
import type { ArgumentRuleDraft } from './policy-draft.ts';

type RuleFieldsProps = {
  readonly rules: readonly ArgumentRuleDraft[];
  readonly readOnly: boolean;
  readonly onChange: (rules: readonly ArgumentRuleDraft[]) => void;
};

const parts = [
  ['arguments', 'the arguments'],
  ['meta', 'the members of _meta'],
  ['answers', 'each answer to a question of the server'],
] as const;
const newRule: ArgumentRuleDraft = { tools: '', part: 'arguments', schema: '{\n  "properties": {}\n}', message: '' };

export function RuleFields({ rules, readOnly, onChange }: RuleFieldsProps) {
  const update = (position: number, changes: Partial<ArgumentRuleDraft>): void =>
    onChange(rules.map((rule, index) => (index === position ? { ...rule, ...changes } : rule)));
  return (
    <>
      {rules.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id
        <fieldset key={index} className="group" disabled={readOnly}>
          <legend>Rule {index + 1}</legend>
          <Field
            label="Tools"
            hint="Tool names as callers use them. * matches any characters."
            required
            spellCheck={false}
            placeholder="mail__send"
            value={rule.tools}
            onChange={({ target }) => update(index, { tools: target.value })}
          />
          <Select label="Checks" value={rule.part} options={parts} onSelect={(part) => update(index, { part })} />
          <ArgumentSchemaField text={rule.schema} onWrite={(schema) => update(index, { schema })} />
          <Field
            label="Message for refused callers"
            maxLength={300}
            placeholder="the arguments are not allowed by this hub"
            value={rule.message}
            onChange={({ target }) => update(index, { message: target.value })}
          />
          <p>
            <button
              type="button"
              className="destructive"
              onClick={() => onChange(rules.filter((_, position) => position !== index))}
            >
              Remove rule {index + 1}
            </button>
          </p>
        </fieldset>
      ))}
      {rules.length === 0 ? <p className="faint">Arguments are passed through unchanged.</p> : null}
      {readOnly ? null : <AddGroupButton onAdd={() => onChange([...rules, newRule])}>Add rule</AddGroupButton>}
    </>
  );
}

function ArgumentSchemaField({ text, onWrite }: { text: string; onWrite: (text: string) => void }) {
  const problem = findJsonProblem(text);
  return (
    <TextAreaField
      label="Schema"
      hint={problem ?? 'JSON Schema without references. Calls that do not match are refused.'}
      rows={[3, 16]}
      aria-invalid={problem !== undefined}
      value={text}
      onTextChange={onWrite}
    />
  );
}

function findJsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Invalid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
