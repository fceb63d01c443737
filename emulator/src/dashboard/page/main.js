import { announceNews } from './announce.js';
import { app } from './app.js';
import { goLive } from './live.js';
import { loadView } from './load.js';
import { h, render } from './preact.js';
import { routeOf, VIEWS } from './route.js';
import { changed, drawWith, notify, state } from './store.js';

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no place for the dashboard');
place.replaceChildren();

/** A component of its own, so that a list of elements can be the page. */
function Page() {
  return app(state);
}

drawWith(() => {
  render(h(Page, null), place);
});

function follow() {
  const route = routeOf(location.hash);
  const moved = route.id === '' && route.view !== state.view;
  state.route = route;
  if (moved) state.view = route.view;
  if (state.openTask?.id !== route.id) state.openTask = null;
  if (state.openDelivery?.id !== route.id) state.openDelivery = null;
  document.title = `${VIEWS[state.view]} · Darkroom emulator`;
  loadView().catch((error) => notify(String(error.message), true));
  changed();
  if (!moved) return;
  scrollTo(0, 0);
  // A screen reader hears where it is now, as after a page load.
  requestAnimationFrame(() => {
    document.getElementById(`${state.view}-title`)?.focus({ preventScroll: true });
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  });
}

addEventListener('hashchange', follow);
state.route = routeOf(location.hash);
state.view = state.route.view;
document.title = `${VIEWS[state.view]} · Darkroom emulator`;
goLive();
announceNews();
