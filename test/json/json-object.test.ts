import t from 'tap';
import { isObject } from '../../src/json/json-object.ts';

t.test('objects have members; null, lists and other values have none', async (t) => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) t.ok(isObject(value));
  for (const value of [null, undefined, [], [{}], 'text', 1, true, () => undefined]) t.notOk(isObject(value));
});
