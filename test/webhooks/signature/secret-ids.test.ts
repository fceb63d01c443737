import { expect, it } from 'vitest';
import { idOfHeaders, idOfKey, idOfSecret } from '../../../src/webhooks/signature/secret-ids.ts';

const SECRET = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

// Programs of different versions compare these ids: they stay as they are.
it('a secret, a key and headers have the same short ids in every program', () => {
  expect(idOfSecret(SECRET)).toBe('a9c74c6e');
  expect(idOfKey('sk-1')).toBe('3ca9bcf1');
  expect(idOfHeaders({ 'x-team': 'a', 'x-workspace': 'b' }, 'sk-1')).toBe('98bc832a');
});

it('the id of a secret goes by its bytes, that of headers by their names and not by their order', () => {
  expect(idOfSecret(`whsec_${SECRET}`)).toBe(idOfSecret(SECRET));
  expect(idOfHeaders({ 'x-workspace': 'b', 'x-team': 'a' }, 'sk-1')).toBe('98bc832a');
  expect(idOfHeaders({ c: '3', a: '1', b: '2' }, 'sk-1')).toBe(
    idOfHeaders({ a: '1', b: '2', c: '3' }, 'sk-1'),
  );
});
