import { useQuery } from '@tanstack/react-query';
import type { Hub } from '../../contract/hub-api.ts';
import type { HubTool } from '../../contract/hub-policy-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Empty } from '../parts/empty.tsx';
import { Mark } from '../parts/mark.tsx';
import { Problem } from '../parts/problem.tsx';
import { Loaded } from './loaded.tsx';
import { rolesThatMay, switched } from './tool-rules.ts';
import { useChange } from './use-change.ts';
import { usePolicy, usePolicyClient } from './use-policy.ts';

/** The tools that the hub has seen: which are held back, and who may call the others. */
export function Tools({ hub }: { hub: Hub }) {
  const client = usePolicyClient();
  const query = useQuery({
    queryKey: ['hub-tools', hub.slug],
    queryFn: ({ signal }) => client.tools(hub.slug, { signal }),
    refetchInterval: 10_000,
  });
  const mayChange = hub.role === 'owner';
  return (
    <>
      <p className="faint">
        A tool is approved as it was first seen. When its server later says something else of it, nobody can call it
        until an owner approves the difference.
      </p>
      <Loaded query={query}>
        {(tools) =>
          tools.length === 0 ? (
            <Empty title="No tools seen yet">
              <p>They appear here when somebody lists them through the hub for the first time.</p>
            </Empty>
          ) : (
            <div className="tool-list">
              {tools.map((tool) => (
                <ToolRow key={`${tool.connection} ${tool.tool}`} hub={hub.slug} tool={tool} mayChange={mayChange} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  );
}

type ToolProps = { readonly hub: string; readonly tool: HubTool; readonly mayChange: boolean };

function ToolRow({ hub, tool, mayChange }: ToolProps) {
  const name = `${tool.connection}__${tool.tool}`;
  const isHeld = tool.state === 'held';
  return (
    <section className="card-box" aria-label={name}>
      <header>
        <h2>
          <code>{name}</code>
        </h2>
        <span>
          <Mark look={isHeld ? 'broken' : 'passed'} silent title={tool.state} /> {isHeld ? 'held back' : 'approved'}
          {tool.approved_by === null || isHeld ? null : <span className="faint"> by {tool.approved_by}</span>}
          <span className="faint">
            , seen <Ago at={tool.seen_at} />
            {tool.changed_at === null ? null : (
              <>
                , changed <Ago at={tool.changed_at} />
              </>
            )}
          </span>
        </span>
      </header>
      {tool.flags.map(({ kind, message }) => (
        <p key={`${kind} ${message}`} className="help">
          {message}
        </p>
      ))}
      {isHeld ? (
        <Held hub={hub} tool={tool} mayChange={mayChange} />
      ) : (
        <Callers hub={hub} name={name} mayChange={mayChange} />
      )}
    </section>
  );
}

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' };

function Held({ hub, tool, mayChange }: ToolProps) {
  const client = usePolicyClient();
  const { connection, tool: name, waiting_digest: digest, difference } = tool;
  const approve = useChange('hub-tools', (wanted: string) =>
    client.approveTool(hub, { connection, tool: name, digest: wanted }),
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="diff" aria-label={`What changed in ${name}`} tabIndex={0}>
        {difference.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
          <div key={index} className={`diff-line is-${kinds[line.charAt(0)] ?? 'same'}`}>
            <span className="line-number">{index + 1}</span>
            <span className="diff-sign">{line.charAt(0)}</span>
            <code>{line.slice(1)}</code>
          </div>
        ))}
      </section>
      {mayChange && digest !== null ? (
        <footer className="actions">
          <button type="button" className="strong" disabled={approve.isPending} onClick={() => approve.mutate(digest)}>
            Approve as it is now
          </button>
        </footer>
      ) : null}
      {approve.error ? <Problem error={approve.error} /> : null}
    </>
  );
}

function Callers({ hub, name, mayChange }: { hub: string; name: string; mayChange: boolean }) {
  const client = usePolicyClient();
  const { data: policy } = usePolicy(hub);
  const isOn = policy ? rolesThatMay(policy.document, name).length > 0 : true;
  const toggle = useChange('hub-policy', async () => {
    const { document, revision } = policy ?? (await client.policy(hub));
    return client.setPolicy(hub, { document: switched(document, name, !isOn), if_revision: revision });
  });
  if (!policy) return null;
  const roles = rolesThatMay(policy.document, name);
  return (
    <>
      <footer className="actions">
        <span className="faint">
          {roles.length === 0 ? 'Switched off: nobody may call it.' : `May be called by: ${roles.join(', ')}.`}
        </span>
        {mayChange ? (
          <button type="button" className="quiet" disabled={toggle.isPending} onClick={() => toggle.mutate(undefined)}>
            Switch {isOn ? 'off' : 'on'}
            <span className="unseen"> {name}</span>
          </button>
        ) : null}
      </footer>
      {toggle.error ? <Problem error={toggle.error} /> : null}
    </>
  );
}
