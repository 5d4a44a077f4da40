import t from 'tap';
import { createObjectNotes } from '../../src/collections/object-notes.ts';

t.test('a note is that of its object alone, and the last one counts', async (t) => {
  const notes = createObjectNotes<string>();
  const others = createObjectNotes<string>();
  const [object, list] = [{ member: 1 }, [1]];
  t.equal(notes.get(object), undefined);
  notes.set(object, 'first');
  notes.set(object, 'second');
  notes.set(list, 'of a list');
  others.set(object, 'other');
  t.same(
    [notes.get(object), notes.get(list), others.get(object), others.get(list)],
    ['second', 'of a list', 'other', undefined],
  );
  t.equal(notes.get(Object.create(object)), undefined, 'nor is it inherited');
});

t.test('a note is neither copied nor written', async (t) => {
  const notes = createObjectNotes<string>();
  const object = { member: 1 };
  notes.set(object, 'hidden');
  t.equal(notes.get({ ...object }), undefined);
  t.equal(notes.get(structuredClone(object)), undefined);
  t.same([JSON.stringify(object), Reflect.ownKeys(object)], ['{"member":1}', ['member']]);
});
