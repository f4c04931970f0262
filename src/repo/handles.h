// Owners for libgit2's handles, one spelling for all of them: own(handle), on the line after the
// call that made it.
#pragma once

#include <git2.h>

#include "autokernel/base/owned.h"

namespace autokernel::repo {

[[nodiscard]] inline Owned<git_repository*> own(git_repository* handle) {
  return {handle, git_repository_free};
}
[[nodiscard]] inline Owned<git_config*> own(git_config* handle) {
  return {handle, git_config_free};
}
[[nodiscard]] inline Owned<git_config_iterator*> own(git_config_iterator* handle) {
  return {handle, git_config_iterator_free};
}
[[nodiscard]] inline Owned<git_object*> own(git_object* handle) {
  return {handle, git_object_free};
}
[[nodiscard]] inline Owned<git_commit*> own(git_commit* handle) {
  return {handle, git_commit_free};
}
[[nodiscard]] inline Owned<git_tree*> own(git_tree* handle) { return {handle, git_tree_free}; }
[[nodiscard]] inline Owned<git_tree_entry*> own(git_tree_entry* handle) {
  return {handle, git_tree_entry_free};
}
[[nodiscard]] inline Owned<git_blob*> own(git_blob* handle) { return {handle, git_blob_free}; }
[[nodiscard]] inline Owned<git_reference*> own(git_reference* handle) {
  return {handle, git_reference_free};
}
[[nodiscard]] inline Owned<git_reference_iterator*> own(git_reference_iterator* handle) {
  return {handle, git_reference_iterator_free};
}
[[nodiscard]] inline Owned<git_signature*> own(git_signature* handle) {
  return {handle, git_signature_free};
}
[[nodiscard]] inline Owned<git_index*> own(git_index* handle) { return {handle, git_index_free}; }
[[nodiscard]] inline Owned<git_index_conflict_iterator*> own(git_index_conflict_iterator* handle) {
  return {handle, git_index_conflict_iterator_free};
}
[[nodiscard]] inline Owned<git_treebuilder*> own(git_treebuilder* handle) {
  return {handle, git_treebuilder_free};
}
[[nodiscard]] inline Owned<git_odb*> own(git_odb* handle) { return {handle, git_odb_free}; }
[[nodiscard]] inline Owned<git_status_list*> own(git_status_list* handle) {
  return {handle, git_status_list_free};
}
[[nodiscard]] inline Owned<git_diff*> own(git_diff* handle) { return {handle, git_diff_free}; }
// None where no filter applies to the path: libgit2 then gives no list.
[[nodiscard]] inline Owned<git_filter_list*> own(git_filter_list* handle) {
  return {handle, git_filter_list_free};
}
// What libgit2 has put into an array or a buffer, which itself stays where it is.
[[nodiscard]] inline Owned<git_strarray*> own(git_strarray* filled) {
  return {filled, git_strarray_dispose};
}
[[nodiscard]] inline Owned<git_buf*> own(git_buf* filled) { return {filled, git_buf_dispose}; }

}  // namespace autokernel::repo
