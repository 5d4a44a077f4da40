import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hub-api.ts';
import type { HubToolsOffered } from '../../../contract/hub-connect-api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useConnection } from '../../session/connection.ts';
import { hubPath } from '../../shell/paths.ts';
import { Loaded } from '../loaded.tsx';
import { effectOf } from '../tool-effect.ts';
import { ArgumentForm } from './argument-form.tsx';
import { CallResult } from './call-result.tsx';
import { ToolChoice } from './tool-choice.tsx';

/** Calls a tool of the hub as the person who is signed in. Which one stands in the address. */
export function TryIt({ hub }: { hub: Hub }) {
  if (hub.role === 'viewer')
    return (
      <Empty title="Viewers do not call from here">
        <p>Members and owners of the hub do. Ask an owner for another role.</p>
        <Link href={hubPath(hub.slug, 'members')}>Who that is</Link>
      </Empty>
    );
  return <Offered hub={hub.slug} />;
}

function Offered({ hub }: { hub: string }) {
  const { hubConnect } = useConnection();
  const query = useQuery({
    queryKey: ['hub-offered', hub],
    queryFn: ({ signal }) => hubConnect.offeredTools(hub, { signal }),
    staleTime: 30_000,
  });
  return (
    <>
      <p className="faint">
        A call from here is a real one: policies apply, and it stands in the{' '}
        <Link href={hubPath(hub, 'audit')}>audit</Link> in your name, via the console.
      </p>
      <Loaded query={query}>{(offered) => <Choose hub={hub} offered={offered} />}</Loaded>
    </>
  );
}

function Choose({ hub, offered: { items, missing } }: { hub: string; offered: HubToolsOffered }) {
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('tool') ?? undefined;
  const tool = items.find(({ name }) => name === chosen);
  return (
    <>
      {missing.map(({ connection, code, message }) => (
        <p key={connection} className="help">
          <span>
            The tools of <Link href={hubPath(hub, 'connections')}>{connection}</Link> are not here: {message}{' '}
            <code className="faint">{code}</code>
          </span>
        </p>
      ))}
      {items.length === 0 ? (
        <Empty title="There is no tool that you may call">
          <p>Tools come with connections; those that are held back or that policy keeps from you are not here.</p>
          <Link href={hubPath(hub, 'connections')}>Connections</Link>
        </Empty>
      ) : (
        <div className="try">
          <ToolChoice tools={items} chosen={chosen} onChoose={(name) => setSearch({ tool: name })} />
          {tool ? (
            <Try key={tool.name} hub={hub} tool={tool} />
          ) : (
            <p className="faint">
              {chosen === undefined ? 'Choose a tool.' : `The hub offers you no ${chosen}. Choose another.`}
            </p>
          )}
        </div>
      )}
    </>
  );
}

function Try({ hub, tool }: { hub: string; tool: HubToolsOffered['items'][number] }) {
  const { hubConnect } = useConnection();
  const ended = useRef<AbortController>(undefined);
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (values: Record<string, unknown>) => {
      ended.current = new AbortController();
      return hubConnect.callTool(hub, { name: tool.name, arguments: values }, { signal: ended.current.signal });
    },
    gcTime: 0,
  });
  const stop = (): void => {
    ended.current?.abort(new Error('stopped'));
    reset();
  };
  const effect = effectOf(tool.annotations);
  return (
    <section aria-label={tool.name} className="try-one">
      <header>
        <h2>{tool.title ?? <code>{tool.name}</code>}</h2>
        {tool.title === null ? null : <code className="faint">{tool.name}</code>}{' '}
        {effect === '' ? null : <span className="faint">{effect}</span>}
      </header>
      {tool.description === null ? null : <p className="told-text">{tool.description}</p>}
      <ArgumentForm tool={tool} isPending={isPending} onCall={mutate} onStop={stop} />
      {error && !isPending ? <Problem error={error} /> : null}
      {data && !isPending ? <CallResult called={data} /> : null}
    </section>
  );
}
