import { memo, useState } from 'react';
import type { HubTool } from '../../../contract/hub-policy-api.ts';
import { Ago } from '../../parts/ago.tsx';
import { Mark } from '../../parts/mark.tsx';
import { effectOf } from '../tool-effect.ts';
import { definitionOf } from '../tool-rules.ts';
import { HeldTool } from './held-tool.tsx';
import { ToolCallers } from './tool-callers.tsx';

type ToolRowProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

/** One tool: what it says of itself, and who may call it; one that is held back shows what changed. */
export const ToolRow = memo(function ToolRow({ hub, tool, mayChange }: ToolRowProps) {
  const name = `${tool.connection}__${tool.tool}`;
  const isHeld = tool.state === 'held';
  const { description, annotations } = definitionOf(tool);
  return (
    <section className="tool-row" aria-label={name}>
      <header>
        <h2>
          <code>{name}</code>
        </h2>
        <span className="faint">{effectOf(annotations)}</span>
        <span className="grow" />
        <span>
          <Mark look={isHeld ? 'broken' : 'passed'} silent title={tool.state} /> {isHeld ? 'held back' : 'approved'}
          <span className="faint">
            {tool.approved_by === null || isHeld ? '' : ` by ${tool.approved_by}`}, {isHeld ? 'changed' : 'seen'}{' '}
            <Ago at={(isHeld ? tool.changed_at : null) ?? tool.seen_at} />
          </span>
        </span>
      </header>
      {description === '' ? null : <p className="one-line faint">{description}</p>}
      {tool.flags.map(({ kind, message }) => (
        <p key={`${kind} ${message}`} className="help">
          <span>{message}</span>
        </p>
      ))}
      {isHeld ? (
        <HeldTool hub={hub} tool={tool} mayChange={mayChange} />
      ) : (
        <ToolCallers hub={hub} name={name} isReading={annotations?.readOnlyHint === true} mayChange={mayChange} />
      )}
      <Definition tool={tool} />
    </section>
  );
});

/** All that the server says of it; written out only when it is looked at. */
function Definition({ tool: { approved, waiting } }: { tool: HubTool }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="faint">
        {approved === null ? 'What it says of itself' : 'What it says of itself, as approved'}
      </summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <pre className="definition" tabIndex={0}>
          {JSON.stringify(approved ?? waiting, undefined, 2)}
        </pre>
      ) : null}
    </details>
  );
}
