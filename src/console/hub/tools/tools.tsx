import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hub-api.ts';
import type { HubTool } from '../../../contract/hub-policy-api.ts';
import { Empty } from '../../parts/empty.tsx';
import { useConnection } from '../../session/connection.ts';
import { hubPath } from '../../shell/paths.ts';
import { countText } from '../../words/moments.ts';
import { Loaded } from '../loaded.tsx';
import { definitionOf } from '../tool-rules.ts';
import { ToolRow } from './tool-row.tsx';

/** The tools that the hub has seen: which are held back, and who may call the others. */
export function Tools({ hub }: { hub: Hub }) {
  const { hubPolicy } = useConnection();
  const query = useQuery({
    queryKey: ['hub-tools', hub.slug],
    queryFn: ({ signal }) => hubPolicy.tools(hub.slug, { signal }),
    refetchInterval: 10_000,
  });
  return (
    <>
      <p className="faint">
        A tool is approved as it was first seen. When its server later says something else of it, nobody can call it
        until an owner approves the difference.
      </p>
      <Loaded query={query}>
        {(tools) => (tools.length === 0 ? <NoTools hub={hub.slug} /> : <Found hub={hub} tools={tools} />)}
      </Loaded>
    </>
  );
}

function NoTools({ hub }: { hub: string }) {
  return (
    <Empty title="No tools seen yet">
      <p>They appear here when somebody lists them through the hub for the first time.</p>
      <Link href={hubPath(hub, 'try')}>List them now</Link>
    </Empty>
  );
}

/** More are found by typing. */
const mostShown = 200;

/** What is searched for stands in the address. */
function Found({ hub, tools }: { hub: Hub; tools: readonly HubTool[] }) {
  const [search, setSearch] = useSearchParams();
  const words = search.get('find') ?? '';
  const wanted = useDeferredValue(words.toLowerCase());
  const found = tools.filter((tool) => textOf(tool).includes(wanted));
  const held = tools.filter(({ state }) => state === 'held').length;
  const find = (text: string): void => setSearch(text === '' ? {} : { find: text }, { replace: true });
  return (
    <>
      <div className="bar">
        <input
          type="search"
          data-search
          aria-label="Find a tool"
          placeholder="Find a tool  /"
          value={words}
          onChange={({ target }) => find(target.value)}
        />
        <span className="faint" role="status">
          {countText(found.length, 'tool')}
          {held > 0 ? `, ${held} held back` : ''}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title="No tool like that">
          <button type="button" onClick={() => find('')}>
            Show all tools
          </button>
        </Empty>
      ) : (
        <div className="tool-list">
          {found.slice(0, mostShown).map((tool) => (
            <ToolRow
              key={`${tool.connection} ${tool.tool}`}
              hub={hub.slug}
              tool={tool}
              mayChange={hub.role === 'owner'}
            />
          ))}
          {found.length > mostShown ? (
            <p className="faint tool-row">
              {countText(found.length - mostShown, 'more tool')}: type a part of the name.
            </p>
          ) : null}
        </div>
      )}
    </>
  );
}

function textOf(tool: HubTool): string {
  const { title, description } = definitionOf(tool);
  return `${tool.connection}__${tool.tool} ${title} ${description} ${tool.state}`.toLowerCase();
}
