// The pages: id in the address, name and icon in the rail, key after `g`, module. A page with `graph: false` needs no graph.
export const PAGES = [
  { id: 'home', name: 'Home', key: 'h', graph: false, icon: 'M4 11l8-7 8 7v9h-6v-6h-4v6H4z', load: () => import('./pages/home.js') },
  { id: 'query', name: 'Query', key: 'q', icon: 'M5 6l6 6-6 6M13 18h7', load: () => import('./pages/query.js') },
  { id: 'data', name: 'Data', key: 'd', icon: 'M4 6h16M4 12h16M4 18h16M9 6v12', load: () => import('./pages/data.js') },
  { id: 'schema', name: 'Schema', key: 's', icon: 'M4 5h6v5H4zM14 14h6v5h-6zM7 10v6h7', load: () => import('./pages/schema.js') },
  { id: 'commits', name: 'Commits', key: 'c', icon: 'M7 4v16M7 8c0 6 10 3 10 9M7 4a1 1 0 100 1M17 18a1 1 0 100 1', load: () => import('./pages/commits.js') },
  { id: 'branches', name: 'Branches', key: 'b', icon: 'M6 4v16M6 14c8 0 11-2 11-8M14 8l3-3 3 3', load: () => import('./pages/branches.js') },
  { id: 'feed', name: 'Feed', key: 'f', icon: 'M5 18a1 1 0 102 0M5 11a7 7 0 017 7M5 5a13 13 0 0113 13', load: () => import('./pages/feed.js') },
  { id: 'health', name: 'Health', key: 'm', graph: false, icon: 'M3 12h4l3-7 4 14 3-7h4', load: () => import('./pages/health.js') },
];
