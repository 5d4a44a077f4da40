/**
 * Tool search: what `tools/list` costs a model, how often a search finds the right tool, and how long it takes. Tokens are
 * estimated as a quarter of the bytes of the JSON text: a rule of thumb, which no tokenizer is run for.
 */
import { listHubTools } from '../../src/hub/gateway/hub-tools.ts';
import { ToolIndex } from '../../src/hub/tool-search/tool-index.ts';
import {
  createCatalogue,
  createLargeCatalogue,
  findMisses,
  type Question,
  readBlindQuestions,
  readQuestions,
} from '../hub/tool-search/corpus/corpus.ts';
import type { BenchContext } from './bench-context.ts';
import { median } from './measure.ts';
import { atLeast, type Row, under } from './row.ts';

const noUse = new Map<string, number>();

function estimateTokens(tools: readonly unknown[]): number {
  return Math.round(Buffer.byteLength(JSON.stringify({ tools })) / 4);
}

function measureTokens(count: number): Row {
  const all = createLargeCatalogue(count).map(({ publicItem }) => publicItem);
  const searched = listHubTools({ toolList: 'search' });
  return {
    measured: `\`tools/list\` of ${count.toLocaleString('en')} tools, in mode \`search\``,
    value: estimateTokens(searched),
    unit: 'tokens',
    floor: { what: 'mode `all`', value: estimateTokens([...all, ...listHubTools({ toolList: 'all' })]) },
  };
}

/** The same limit as in the test of the index. */
function measureHits(index: ToolIndex, name: string, questions: readonly Question[]): Row {
  const misses = findMisses((query, limit) => index.search(query, limit, noUse), questions, 5);
  const value = ((questions.length - misses.length) / questions.length) * 100;
  return atLeast(
    { measured: `right tool among the first 5, ${questions.length} questions ${name}`, value, unit: '%' },
    90,
  );
}

/** The processor's time, as this process may have to wait for others. */
function measureSearch(index: ToolIndex, questions: readonly Question[], rounds: number): number {
  const samples = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage();
    for (const { query } of questions) index.search(query, 5, noUse);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000 / questions.length;
  });
  return median(samples);
}

/** What the first search after a change of the tools costs: the index is built in turns of a few milliseconds. */
async function measureIndexing(rounds: number): Promise<number> {
  const catalogue = createLargeCatalogue(1000);
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = process.cpuUsage();
    await ToolIndex.create(catalogue);
    const { user, system } = process.cpuUsage(start);
    samples.push((user + system) / 1000);
  }
  return median(samples);
}

/** Nine rows. */
export async function tools({ quick }: BenchContext): Promise<Row[]> {
  const { tuning, heldOut } = readQuestions();
  const blind = readBlindQuestions();
  const corpus = await ToolIndex.create(createCatalogue());
  const value = measureSearch(
    await ToolIndex.create(createLargeCatalogue(1000)),
    [...tuning, ...heldOut],
    quick ? 3 : 15,
  );
  return [
    ...[20, 200, 1000].map(measureTokens),
    measureHits(corpus, 'for tuning', tuning),
    measureHits(corpus, 'held out', heldOut),
    measureHits(corpus, 'written blind, for tuning', blind.tuning),
    measureHits(corpus, 'written blind, held out', blind.heldOut),
    under({ measured: 'a search in 1,000 tools (processor)', value, unit: 'ms' }, 5),
    under(
      {
        measured: 'the index of 1,000 tools, for the first search (processor)',
        value: await measureIndexing(quick ? 3 : 9),
        unit: 'ms',
      },
      250,
    ),
  ];
}
