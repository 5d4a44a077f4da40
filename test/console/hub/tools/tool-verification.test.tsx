/** The scenarios of a tool beside its waiting definition, in the console. */
import t from 'tap';
import type { HubToolVerification } from '../../../../src/contract/hubs/tool-verification-api.ts';
import { eventually } from '../../../eventually.ts';
import { renderComponent } from '../../render-component.ts';

async function renderVerification(t: Parameters<typeof renderComponent>[0], verification: HubToolVerification | Error) {
  const inputs: unknown[] = [];
  const verifyTool = async (hub: string, input: unknown) => {
    inputs.push([hub, input]);
    if (verification instanceof Error) throw verification;
    return verification;
  };
  const rendered = await renderComponent(t, null, async () => {
    const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query');
    const { ConsoleClientContext } = await import('../../../../src/console/session/client.ts');
    const { ToolVerification } = await import('../../../../src/console/hub/tools/tool-verification.tsx');
    const client = { hubPolicy: { verifyTool } };
    return (
      <QueryClientProvider client={new QueryClient({ defaultOptions: { mutations: { gcTime: 0 } } })}>
        <ConsoleClientContext value={client as never}>
          <ToolVerification hub="acme" connection="docs" tool="search" digest="2.x" />
        </ConsoleClientContext>
      </QueryClientProvider>
    );
  });
  return { ...rendered, inputs };
}

const result = { instance: 'tools', revision: 1 };

t.test('each scenario is shown with its outcome, and failing checks with what was seen', async (t) => {
  const { click, button, container, inputs } = await renderVerification(t, {
    digest: '2.x',
    omitted: 2,
    results: [
      { ...result, scenario: 'RT-1', outcome: 'passed', message: null, checks: [] },
      {
        ...result,
        scenario: 'RT-2',
        outcome: 'failed',
        message: 'status matched',
        checks: [
          { text: 'status=200', passed: true, actual: null },
          { text: 'body has id', passed: false, actual: 'no id' },
        ],
      },
      { ...result, scenario: 'RT-3', outcome: 'broken', message: 'it has steps', checks: [] },
    ],
  });
  t.equal(container.querySelectorAll('li').length, 0, 'nothing is called before the button is pressed');
  await click(button('Run scenarios of search'));
  await eventually(() => container.textContent, { until: (text) => text.includes('RT-3') });
  t.same(inputs, [['acme', { connection: 'docs', tool: 'search', digest: '2.x' }]]);
  t.match(
    [...container.querySelectorAll('li')].map(({ textContent }) => textContent),
    [
      /RT-1 of tools passed/,
      /RT-2 of tools failed.*body has id: no id/,
      /RT-3 of tools could not be judged.*it has steps/,
    ],
  );
  t.match(container.textContent, /2 more scenarios not run/);
});

t.test('without scenarios it says that nothing was verified', async (t) => {
  const { click, button, container } = await renderVerification(t, { digest: '2.x', omitted: 0, results: [] });
  await click(button('Run scenarios of search'));
  t.ok(await eventually(() => container.textContent, { until: (text) => text.includes('nothing was verified') }));
});

t.test('outcomes of another definition are not shown', async (t) => {
  const results = [{ ...result, scenario: 'RT-1', outcome: 'passed' as const, message: null, checks: [] }];
  const { click, button, container } = await renderVerification(t, { digest: '2.other', omitted: 0, results });
  await click(button('Run scenarios of search'));
  await eventually(() => container.textContent, { until: (text) => text.includes('has changed since') });
  t.notMatch(container.textContent, /RT-1/);
});
