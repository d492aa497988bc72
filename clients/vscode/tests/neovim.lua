-- Run by `nvim --headless` on a file of queries: starts the language server whose command stands in SERVICE_LSP, a word
-- a line, and prints what the editor has got from it.
local command = vim.split(os.getenv('SERVICE_LSP'), '\n')
local client = vim.lsp.start_client({ name = 'service', cmd = command, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
local function mistakes(number)
  vim.wait(30000, function() return #vim.diagnostic.get(0) == number end, 20)
end
mistakes(1)
for _, each in ipairs(vim.diagnostic.get(0)) do print(each.code .. ' ' .. each.lnum .. ':' .. each.col) end
vim.api.nvim_buf_set_lines(0, 2, 3, false, { 'return { $p.name }' })
mistakes(0)
print('mistakes: ' .. #vim.diagnostic.get(0))
local asked = { textDocument = vim.lsp.util.make_text_document_params(0), position = { line = 1, character = 13 } }
local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', asked, 30000)
print(answers[client].result.contents.value)
vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'match { $p: Person { mood: "' })
asked.position = { line = 1, character = 28 }
local words = vim.lsp.buf_request_sync(0, 'textDocument/completion', asked, 30000)[client].result
print('words: ' .. table.concat(vim.tbl_map(function(each) return each.label end, words), ' '))
vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'match { $p: Person }' })
asked.position.character = 13
asked.context = { includeDeclaration = true }
print('references: ' .. #vim.lsp.buf_request_sync(0, 'textDocument/references', asked, 30000)[client].result)
asked.newName = 'Human'
local renamed = vim.lsp.buf_request_sync(0, 'textDocument/rename', asked, 30000)[client].result
vim.lsp.util.apply_workspace_edit(renamed, 'utf-16')
asked.options = { tabSize = 2, insertSpaces = true }
local edits = vim.lsp.buf_request_sync(0, 'textDocument/formatting', asked, 30000)[client].result
vim.lsp.util.apply_text_edits(edits, 0, 'utf-16')
print(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
vim.lsp.stop_client(client)
vim.cmd('qa!')
