/**
 * Loaded before a caller: what its package asks of `https://queue.fal.run/…` goes to this machine instead. Nothing
 * else of the package is touched; what happens to the connection happens to the package's own `fetch`.
 * COMPARE_ROUTES: JSON, host → base URL.
 */
const routes = new Map(
  Object.entries(JSON.parse(process.env['COMPARE_ROUTES'] ?? '{}') as Record<string, string>), // written by supervisor.ts
);
const { fetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const request = input instanceof Request ? input : undefined;
  const url = new URL(input instanceof Request ? input.url : input);
  const base = routes.get(url.host);
  if (base === undefined) return await fetch(input, init);
  const target = `${base}${url.pathname}${url.search}`;
  return await fetch(request === undefined ? target : new Request(target, request), init);
};
