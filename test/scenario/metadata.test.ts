import t from 'tap';
import { codes, read, scenarioOf, textOf, told } from './samples.ts';

const layer = '- Layer: HTTP Ingestion';

t.test('keys may have marks or none, in any case', async (t) => {
  for (const key of ['ID', '**ID**', '__ID__', '*ID*', '`ID`', 'id', '**Id**']) {
    t.equal(scenarioOf(textOf({ metadata: `- ${key}: RT-1\n${layer}` })).id, 'RT-1', key);
  }
  t.equal(scenarioOf(textOf({ metadata: `- **ID:** RT-1\n${layer}` })).id, 'RT-1');
  t.equal(scenarioOf(textOf({ metadata: `- ID :RT-1\n${layer}` })).id, 'RT-1');
});

t.test('any bullet will do, and code marks around a value are no part of it', async (t) => {
  const metadata = '* ID: `RT-1`\n\n  + Layer:  http  ingestion\n2. Tags: `a`, b c,a';
  t.match(scenarioOf(textOf({ metadata })), { id: 'RT-1', layer: 'HTTP Ingestion', tags: ['a', 'b', 'c'] });
});

t.test('tags may be missing or empty', async (t) => {
  t.same(scenarioOf(textOf({ metadata: `- ID: a\n${layer}` })).tags, []);
  t.same(scenarioOf(textOf({ metadata: `- ID: a\n${layer}\n- Tags:` })).tags, []);
});

t.test('an ID is what the wire takes for one', async (t) => {
  const idTold = (id: string): unknown => told(textOf({ metadata: `- ID: ${id}\n${layer}` }));
  for (const id of ['a', 'RT-GET-document', 'a.b_c-1', 'x'.repeat(100)]) t.same(idTold(id), [], id);
  for (const id of ['-a', 'a b', 'a/b', 'é', 'x'.repeat(101)]) t.same(idTold(id), [['SCENARIO_ID_INVALID', id]], id);
});

t.test('what is missing is told, at the section or at the empty value', async (t) => {
  t.same(codes(textOf({ metadata: '' })), ['SCENARIO_METADATA_MISSING', 'SCENARIO_METADATA_MISSING']);
  t.same(codes(textOf({ metadata: `- ID:\n${layer}` })), ['SCENARIO_METADATA_MISSING']);
});

t.test('what is no entry, no key or a second one is told', async (t) => {
  const metadata = `- ID: a\n${layer}\n- Id: b\n- Tgas: x\n- Nonsense: x\njust text\n- no colon\n- : x\n- **Tags: x`;
  t.same(told(textOf({ metadata })), [
    ['SCENARIO_METADATA_DOUBLED', 'Id'],
    ['SCENARIO_METADATA_UNKNOWN', 'Tgas'],
    ['SCENARIO_METADATA_UNKNOWN', 'Nonsense'],
    ['SCENARIO_METADATA_INVALID', 'just text'],
    ['SCENARIO_METADATA_INVALID', '- no colon'],
    ['SCENARIO_METADATA_INVALID', '- : x'],
    ['SCENARIO_METADATA_INVALID', '- **Tags: x'],
  ]);
});

t.test('a misspelled key still gives its value to the rest of the reading', async (t) => {
  t.same(codes(textOf({ metadata: `- IDD: a\n${layer}` })), ['SCENARIO_METADATA_UNKNOWN']);
});

t.test('other layers and odd tags are told', async (t) => {
  const metadata = '- ID: a\n- Layer: Kafka\n- Tags: ok, #no, -no, déjà-vu';
  t.same(told(textOf({ metadata })), [
    ['SCENARIO_LAYER_UNKNOWN', 'Kafka'],
    ['SCENARIO_TAG_INVALID', '#no'],
    ['SCENARIO_TAG_INVALID', '-no'],
  ]);
});

t.test('a layer is known by what it adds, in any order, with any spaces and capitals', async (t) => {
  const layer = (written: string): string => scenarioOf(textOf({ metadata: `- ID: a\n- Layer: ${written}` })).layer;
  t.equal(layer('http   ingestion'), 'HTTP Ingestion');
  t.equal(layer('HTTP Ingestion+database'), 'HTTP Ingestion + Database');
  t.equal(layer('`HTTP Ingestion  +  LOG`'), 'HTTP Ingestion + Log');
  t.equal(layer('HTTP Ingestion + Log + Database'), 'HTTP Ingestion + Database + Log');
});

t.test('a layer that is none is told with those that are, or with the nearest', async (t) => {
  const cure = (written: string): string | undefined => {
    const [problem] = read(textOf({ metadata: `- ID: a\n- Layer: ${written}` })).diagnostics;
    t.equal(problem?.code, 'SCENARIO_LAYER_UNKNOWN', written);
    return problem?.cure;
  };
  t.equal(cure('HTTP Ingestion + Logs'), 'did you mean `HTTP Ingestion + Log`?');
  t.equal(cure('HTTP Ingestion+DB'), 'did you mean `HTTP Ingestion + Database`?');
  t.equal(cure('HTTP'), 'did you mean `HTTP Ingestion`?');
  t.equal(cure('log and databse'), 'did you mean `HTTP Ingestion + Database + Log`?');
  for (const layer of ['HTTP + Kafka', 'Kafka', 'x'.repeat(5000)])
    t.match(cure(layer), /^the layers are `HTTP Ingestion`, /);
  t.ok(cure('HTTP Ingestion + Log + Log'));
  t.ok(cure('HTTP Ingestion +'));
});
